# The analysis, and the search that proposes kernels by it.
list(APPEND kernel_sources
  affine.cc analysis.cc analysis_source.cc analysis_tilelang.cc contraction_code.cc dependence.cc
  nest_lexer.cc nest_parser.cc nest_printer.cc nest_walk.cc normal_form.cc plan.cc plan_moves.cc
  rewrite_cache.cc rewrite_contraction.cc rewrite_fusion.cc rewrite_hoist.cc rewrite_order.cc
  rewrite_statistics.cc rewrite_threads.cc rewrite_vectors.cc search_proposer.cc sum_nest.cc
  tilelang_knobs.cc vector_code.cc)
