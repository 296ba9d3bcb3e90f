# The Python workers: where Python is, the process that forks them, and inputs by their references.
list(APPEND kernel_sources natural_inputs.cc python_nursery.cc python_place.cc)

hone_test(kernel_python_test MEASURE
  SOURCES natural_inputs_test.cc python_worker_test.cc
  LIBRARIES hone_kernel
  DEFINES HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HONE_PROGRAM="$<TARGET_FILE:hone>")
if(HONE_TESTS)
  add_dependencies(kernel_python_test hone)
endif()
