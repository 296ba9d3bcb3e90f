# hone_library(name [DEPENDS …] [LINKS …] [SOURCES …] [HOT] [CHUNK n])
#   Adds a static library with every .cc of one folder below src/, except tests. DEPENDS are other
#   folders, LINKS third-party libraries, SOURCES generated files.
# hone_test(name SOURCES … LIBRARIES … [MEASURE pattern…] [LOCK name] [DEFINES …])
#   Adds a GoogleTest program with one ctest per test case. Test cases that match a MEASURE pattern
#   assert on measured times and run alone (label `measure`); all others run in parallel. Tests with
#   the same LOCK run one at a time. HONE_IREE in their environment locates IREE.
# hone_bench(name SOURCES … LIBRARIES …)
#   Adds a benchmark program. The target `bench` builds and runs all of them; QUICK=1 in the
#   environment selects short runs. The target `all` excludes them.
#
# Build time: sources are compiled in unity chunks, because most of the cost is shared headers and
# templates. Release builds use -O2 only in HOT folders, where hone itself computes. Everything else
# waits for compilers and kernels, and -O1 halves the time of code generation there.

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

set(HONE_TEST_IREE "" CACHE PATH "site-packages folder with IREE for the tests; empty: that of .venv")
set(honeTestIree "${HONE_TEST_IREE}")
if(NOT honeTestIree)
  file(GLOB sites ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages)
  list(POP_BACK sites honeTestIree)
endif()

# Fails if a MEASURE pattern, Suite.Name or Suite.Prefix*, matches no test in the sources. Otherwise
# a renamed test would silently run in parallel.
function(hone_check_measured name patterns sources)
  set(text "")
  foreach(source ${sources})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${source} part)
    string(APPEND text "${part}")
  endforeach()
  foreach(pattern ${patterns})
    string(REGEX REPLACE "^([A-Za-z]+)\\.([A-Za-z]*)\\*?$" "TEST[_FP]*\\\\(\\1,[ \n]+\\2" test "${pattern}")
    if(NOT text MATCHES "${test}")
      message(FATAL_ERROR "${name}: no test matches the MEASURE pattern ${pattern}")
    endif()
  endforeach()
endfunction()

# Lets a test use the precompiled headers of all tests. Parsing them is half of a test's compile
# time.
function(hone_test_headers name)
  if(NOT HONE_UNITY)
    return()
  endif()
  if(NOT TARGET hone_test_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cc "// See hone_test_headers in HoneLibrary.cmake.\n")
    add_library(hone_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cc)
    target_compile_options(hone_test_headers PRIVATE $<$<CONFIG:Release>:-O0> -fpch-preprocess) # ccache needs it
    target_link_libraries(hone_test_headers PRIVATE fmt::fmt GTest::gtest GTest::gmock)
    target_precompile_headers(hone_test_headers PRIVATE <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>
      <filesystem> <map> <nlohmann/json.hpp> <set>)
  endif()
  target_compile_options(${name} PRIVATE -fpch-preprocess)
  target_precompile_headers(${name} REUSE_FROM hone_test_headers)
endfunction()

function(hone_test name)
  cmake_parse_arguments(ARG "" "LOCK" "SOURCES;LIBRARIES;DEFINES;MEASURE" ${ARGN})
  if(NOT HONE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  hone_unity(${name} 40)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  hone_test_headers(${name})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gmock hone_test_main rapidcheck)
  set(discovery NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60)
  set(properties ENVIRONMENT "HONE_IREE=${honeTestIree}")
  if(ARG_LOCK)
    list(APPEND properties RESOURCE_LOCK ${ARG_LOCK} COST 100) # start first: the serial tests are the critical path
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
  # Build all programs before the first run, and run them in order: a concurrent compile or benchmark
  # would disturb the measurement.
  add_custom_target(run_${name} COMMAND ${name} USES_TERMINAL VERBATIM)
  get_property(before GLOBAL PROPERTY HONE_LAST_BENCH)
  add_dependencies(run_${name} bench_programs ${before})
  set_property(GLOBAL PROPERTY HONE_LAST_BENCH run_${name})
  add_dependencies(bench run_${name})
endfunction()
