# hone_library(name SOURCES … DEPENDS … [LINKS …]): the static library of one folder below src/.
# DEPENDS are other folders, LINKS are third-party libraries. A wrong include does not link.
# hone_test(name SOURCES … LIBRARIES …): a GoogleTest program, one ctest a test case.

function(hone_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  add_library(hone_${name} STATIC ${ARG_SOURCES})
  target_include_directories(hone_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(hone_${name} PUBLIC fmt::fmt ${ARG_LINKS})
  foreach(folder ${ARG_DEPENDS})
    target_link_libraries(hone_${name} PUBLIC hone_${folder})
  endforeach()
endfunction()

function(hone_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT HONE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main rapidcheck)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()
