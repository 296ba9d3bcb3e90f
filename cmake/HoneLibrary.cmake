# hone_library(name [DEPENDS …] [LINKS …] [SOURCES …] [HOT] [CHUNK n]): the static library of one
# folder below src/, made of every .cc in it but tests. DEPENDS are other folders, LINKS are
# third-party libraries, SOURCES are generated files. A wrong include does not link.
# hone_test(name SOURCES … LIBRARIES … [MEASURE pattern…] [LOCK name] [DEFINES …]): a GoogleTest
# program, one ctest per test case. Test cases that match a MEASURE pattern assert on measured times
# and run alone (label `measure`); all others run in parallel. Of the tests with the same LOCK one runs
# at a time. Tests find IREE by HONE_IREE in their environment.
# hone_bench(name SOURCES … LIBRARIES …): a program that prints a figure; the target `bench` builds and
# runs all, with QUICK=1 in the environment the short forms. The target `all` leaves them out.
#
# Build time: sources are compiled in unity chunks (most of an object's cost is the same headers and
# templates in each), and a release build optimizes only where hone itself computes: HOT folders.
# Everything else waits for compilers and kernels. -O1 halves the time of the code generator there.

option(HONE_UNITY "Compile several sources of a folder at once" ON)
set(HONE_CHUNK 48 CACHE STRING "Sources per unity chunk")

function(hone_unity target chunk)
  if(HONE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${chunk})
  endif()
endfunction()

function(hone_library name)
  cmake_parse_arguments(ARG "HOT" "CHUNK" "SOURCES;DEPENDS;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/test_[^/]*\\.cc$")
  add_library(hone_${name} STATIC ${sources} ${ARG_SOURCES})
  if(ARG_HOT)
    target_compile_options(hone_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  if(NOT ARG_CHUNK)
    set(ARG_CHUNK ${HONE_CHUNK})
  endif()
  hone_unity(hone_${name} ${ARG_CHUNK})
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

# Fails where a MEASURE pattern, Suite.Name or Suite.Begin*, matches no test in the sources: a renamed
# test would run in parallel.
function(hone_check_measured name patterns sources)
  set(text "")
  foreach(source ${sources})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${source} part)
    string(APPEND text "${part}")
  endforeach()
  foreach(pattern ${patterns})
    string(REGEX REPLACE "^([A-Za-z]+)\\.([A-Za-z]*)\\*?$" "TEST[_FP]*\\\\(\\1,[ \n]+\\2" test "${pattern}")
    if(NOT text MATCHES "${test}")
      message(FATAL_ERROR "${name}: no test matches ${pattern} of MEASURE")
    endif()
  endforeach()
endfunction()

function(hone_test name)
  cmake_parse_arguments(ARG "" "LOCK" "SOURCES;LIBRARIES;DEFINES;MEASURE" ${ARGN})
  if(NOT HONE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  hone_unity(${name} 40)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main rapidcheck)
  set(discovery NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60)
  set(properties ENVIRONMENT "HONE_IREE=${honeTestIree}")
  if(ARG_LOCK)
    list(APPEND properties RESOURCE_LOCK ${ARG_LOCK} COST 100) # first: the chain decides how long all take
  endif()
  if(ARG_MEASURE)
    hone_check_measured(${name} "${ARG_MEASURE}" "${ARG_SOURCES}")
    list(JOIN ARG_MEASURE ":" timed)
    gtest_discover_tests(${name} TEST_FILTER "${timed}" ${discovery}
      PROPERTIES ${properties} RUN_SERIAL TRUE LABELS measure)
    gtest_discover_tests(${name} TEST_FILTER "-${timed}" ${discovery} PROPERTIES ${properties})
  else()
    gtest_discover_tests(${name} ${discovery} PROPERTIES ${properties})
  endif()
endfunction()

function(hone_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
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
