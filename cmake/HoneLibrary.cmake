# hone_library(name SOURCES … DEPENDS … [LINKS …]): the static library of one folder below src/.
# DEPENDS are other folders, LINKS are third-party libraries. A wrong include does not link.
# hone_test(name SOURCES … LIBRARIES … [SERIAL] [MEASURE] [LOCK name] [DEFINES …]): a GoogleTest program, one
# ctest a test case. SERIAL tests run alone (label `serial`); so do those that MEASURE (label
# `measure`). Of those with the same LOCK one runs at a time. Tests find IREE by HONE_IREE in their environment.
# hone_bench(name SOURCES … LIBRARIES …): a program that prints a figure; the target `bench` runs all,
# with QUICK=1 in the environment the short forms.

function(hone_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  add_library(hone_${name} STATIC ${ARG_SOURCES})
  target_include_directories(hone_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(hone_${name} PUBLIC fmt::fmt ${ARG_LINKS})
  foreach(folder ${ARG_DEPENDS})
    target_link_libraries(hone_${name} PUBLIC hone_${folder})
  endforeach()
endfunction()

set(HONE_TEST_IREE "" CACHE PATH "The site-packages folder with IREE for the tests; that of .venv when empty")
set(honeTestIree "${HONE_TEST_IREE}")
if(NOT honeTestIree)
  file(GLOB sites ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages)
  list(POP_BACK sites honeTestIree)
endif()

function(hone_test name)
  cmake_parse_arguments(ARG "SERIAL;MEASURE" "LOCK" "SOURCES;LIBRARIES;DEFINES" ${ARGN})
  if(NOT HONE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main rapidcheck)
  set(properties ENVIRONMENT "HONE_IREE=${honeTestIree}")
  if(ARG_MEASURE)
    list(APPEND properties RUN_SERIAL TRUE LABELS measure)
  elseif(ARG_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE LABELS serial)
  endif()
  if(ARG_LOCK)
    list(APPEND properties RESOURCE_LOCK ${ARG_LOCK})
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

function(hone_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  if(NOT TARGET bench)
    add_custom_target(bench)
    add_custom_target(bench_programs)
  endif()
  add_dependencies(bench_programs ${name})
  # All are built before the first runs, and they run one after the other in the order given: a
  # compile or another benchmark at the same time would be measured too.
  add_custom_target(run_${name} COMMAND ${name} USES_TERMINAL VERBATIM)
  get_property(before GLOBAL PROPERTY HONE_LAST_BENCH)
  add_dependencies(run_${name} bench_programs ${before})
  set_property(GLOBAL PROPERTY HONE_LAST_BENCH run_${name})
  add_dependencies(bench run_${name})
endfunction()
