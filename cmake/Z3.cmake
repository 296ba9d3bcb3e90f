# Target hone_z3: the solver of the z3-solver wheel. Tests and benchmarks check the enumeration of
# constraints against it. hone itself does not link it.
find_path(HONE_Z3_INCLUDE z3++.h PATHS ${honeTestIree}/z3/include NO_DEFAULT_PATH)
find_library(HONE_Z3_LIBRARY z3 PATHS ${honeTestIree}/z3/lib NO_DEFAULT_PATH)
if(HONE_Z3_INCLUDE AND HONE_Z3_LIBRARY)
  add_library(hone_z3 SHARED IMPORTED)
  set_target_properties(hone_z3 PROPERTIES
    IMPORTED_LOCATION ${HONE_Z3_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${HONE_Z3_INCLUDE})
else()
  message(STATUS "z3 not found in .venv: skipping its tests and benchmarks; run scripts/setup --tests to install it")
endif()
