# The judge of kernels, and the worker in which C++ kernels run.
list(APPEND kernel_sources
  call_tensors.cc cheats.cc cheats_cpp.cc cheats_python.cc child_faults.cc child_tensors.cc
  cpp_build.cc error_bound.cc input_values.cc judge.cc judge_time.cc judge_verify.cc
  machine_peak.cc reference_run.cc reference_text.cc runnable.cc sandbox.cc shared_tensor.cc
  size_expression.cc source.cc source_tokens.cc subject.cc task.cc worker.cc worker_child.cc)
list(APPEND kernel_links nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
