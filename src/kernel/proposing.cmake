# The analysis, and the search that proposes kernels by it.
list(APPEND kernel_sources
  affine.cc analysis.cc analysis_source.cc analysis_tilelang.cc contraction_code.cc dependence.cc
  nest_lexer.cc nest_parser.cc nest_printer.cc nest_walk.cc normal_form.cc plan.cc plan_moves.cc
  rewrite_cache.cc rewrite_contraction.cc rewrite_fusion.cc rewrite_hoist.cc rewrite_order.cc
  rewrite_statistics.cc rewrite_threads.cc rewrite_vectors.cc search_proposer.cc sum_nest.cc
  tilelang_knobs.cc vector_code.cc)
hone_test(kernel_nest_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/nest_test.cc ${CMAKE_CURRENT_LIST_DIR}/rewrites_test.cc
  LIBRARIES hone_kernel
  DEFINES HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
hone_test(kernel_search_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/analysis_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/search_proposer_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/tilelang_knobs_test.cc
  LIBRARIES hone_kernel
  DEFINES HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
hone_test(kernel_rewritten_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/plan_run_test.cc
  LIBRARIES hone_kernel
  DEFINES HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
