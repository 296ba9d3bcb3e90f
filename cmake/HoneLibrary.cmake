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
# Build time: sources are compiled in unity chunks with precompiled headers, because most of the cost
# is shared headers and templates. Release builds use -O2 only in HOT folders, where hone itself
# computes. Everything else waits for compilers and kernels, and -O1 halves the time of code
# generation there.

option(HONE_UNITY "Compile several sources of a folder at once" ON)
set(HONE_CHUNK 48 CACHE STRING "Sources per unity chunk")
option(HONE_PRECOMPILE "Precompile headers; clang-tidy cannot read those of g++" ON)
if(NOT HONE_UNITY OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(HONE_PRECOMPILE OFF)
endif()
if(HONE_PRECOMPILE)
  add_compile_options(--param=ggc-min-heapsize=524288) # collecting garbage takes 8 % of the time
endif()

# Replaces the sources of a target by files that include `chunk` of them each. CMake's own unity files
# contain absolute paths, so ccache would miss in other clones.
function(hone_unity target chunk)
  if(NOT HONE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(units "")
  set(count 0)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${path}" isGenerated)
    get_source_file_property(isAlone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(isGenerated OR isAlone)
      list(APPEND units ${source})
      continue()
    endif()
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    math(EXPR number "${count} / ${chunk}")
    math(EXPR count "${count} + 1")
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}.cc)
    list(APPEND units ${unit})
    string(APPEND text_${number} "#include \"${path}\"\n")
    set(last ${number})
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(number RANGE ${last})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}.cc CONTENT "${text_${number}}" @ONLY)
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${units}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# hone_precompile(target headers source …) lets a target use the headers that the object library
# `headers` precompiles. The first call creates that library from `source`.
function(hone_precompile target headers source)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LINKS;HEADERS" ${ARGN})
  if(NOT HONE_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT ${source})
    target_compile_options(${headers} PRIVATE ${ARG_OPTIONS} -fpch-preprocess) # ccache needs it
    target_include_directories(${headers} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${headers} PRIVATE fmt::fmt nlohmann_json::nlohmann_json ${ARG_LINKS})
    target_precompile_headers(${headers} PRIVATE <fmt/format.h> <nlohmann/json.hpp> <algorithm> <chrono>
      <filesystem> <fstream> <functional> <map> <memory> <optional> <ranges> <set> <span> <string> <vector>
      ${ARG_HEADERS})
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# Lets a library or the program use the precompiled headers of all of them.
function(hone_headers target)
  set(source ${PROJECT_BINARY_DIR}/headers.cc)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "// See hone_headers in HoneLibrary.cmake.\n")
  endif()
  hone_precompile(${target} hone_headers ${source})
endfunction()

function(hone_library name)
  cmake_parse_arguments(ARG "HOT" "CHUNK" "SOURCES;DEPENDS;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/test_[^/]*\\.cc$")
  add_library(hone_${name} STATIC ${sources} ${ARG_SOURCES})
  if(ARG_HOT)
    target_compile_options(hone_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  else()
    hone_headers(hone_${name}) # of -O1: g++ crashes if another level uses them
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

# Lets a test use the precompiled headers of all tests, and links the templates that all tests share.
function(hone_test_headers target)
  hone_precompile(${target} hone_test_headers ${PROJECT_SOURCE_DIR}/tests/shared_templates.cc
    OPTIONS $<$<CONFIG:Release>:-O0>
    LINKS GTest::gtest GTest::gmock rapidcheck
    HEADERS <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h> [["tests/shared_templates.h"]]) # relative, so that ccache hits in other clones
  if(TARGET hone_test_headers)
    target_link_libraries(${target} PRIVATE hone_test_headers)
  endif()
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
