# Stops with one message that names all missing packages of packages.txt, instead of CMake's error
# about the first one.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/packages.txt lines REGEX "^[^#]+ ")
set(missing "")
foreach(line IN LISTS lines)
  string(REPLACE " " ";" line ${line})
  list(GET line 0 package)
  list(GET line 1 file)
  find_path(HONE_HAS_${package} ${file}
    PATHS /usr/share/javascript/chart.js PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE})
  if(NOT HONE_HAS_${package})
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "hone needs these libraries to build: ${missing}\n"
    "On Debian: apt-get install ${missing}\n"
    "or run scripts/setup, which installs everything. A wheel from `make wheel` needs none of them.")
endif()
