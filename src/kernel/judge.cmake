# The judge of kernels, and the worker in which C++ kernels run.
list(APPEND kernel_sources
  call_tensors.cc cheats.cc cheats_cpp.cc cheats_python.cc child_faults.cc child_tensors.cc
  cpp_build.cc error_bound.cc input_values.cc judge.cc judge_time.cc judge_verify.cc
  machine_peak.cc reference_run.cc reference_text.cc runnable.cc sandbox.cc shared_tensor.cc
  size_expression.cc source.cc source_tokens.cc subject.cc task.cc tensor_folder.cc worker.cc worker_child.cc)
list(APPEND kernel_links nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})

hone_test(kernel_text_test
  SOURCES call_tensors_test.cc cheats_test.cc cpp_build_test.cc error_bound_test.cc
          reference_text_test.cc size_expression_test.cc source_test.cc source_tokens_test.cc
          stir_test.cc task_test.cc
  LIBRARIES hone_kernel)
# Kernels run in children that are the program itself.
hone_test(kernel_judge_test MEASURE
  SOURCES judge_test.cc worker_test.cc
  LIBRARIES hone_kernel
  DEFINES HONE_PROGRAM="$<TARGET_FILE:hone>")
if(HONE_TESTS)
  add_dependencies(kernel_judge_test hone)
endif()
