# Target hone_re2: RE2. Prefers its CMake package, because newer versions also need Abseil; Debian 12
# ships only the library.
find_package(re2 CONFIG QUIET)
add_library(hone_re2 INTERFACE)
if(re2_FOUND)
  target_link_libraries(hone_re2 INTERFACE re2::re2)
else()
  find_path(HONE_RE2_INCLUDE re2/re2.h REQUIRED)
  find_library(HONE_RE2_LIBRARY re2 REQUIRED)
  target_include_directories(hone_re2 SYSTEM INTERFACE ${HONE_RE2_INCLUDE})
  target_link_libraries(hone_re2 INTERFACE ${HONE_RE2_LIBRARY} Threads::Threads)
endif()
