#pragma once

#include <array>
#include <chrono>
#include <vector>

#include "base/random.h"
#include "kernel/judge/execution/call_overhead.h"
#include "kernel/judge/execution/reference_run.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/timing/machine_peak.h"
#include "kernel/worker/cpp/cpp_build.h"
#include "kernel/worker/tensor_folder.h"

namespace hone::kernel {

/// State shared by the verifier and the timer of one task.
struct JudgeContext {
  /// Creates the state; fails if the tensors exceed the memory limit of a kernel.
  [[nodiscard]] static Result<JudgeContext> open(Task task, JudgeOptions options);

  [[nodiscard]] const Shape& shape(std::size_t index) const {
    return index == 0 ? task.shape : task.others[index - 1];
  }
  /// Returns the timeout of one call.
  [[nodiscard]] std::chrono::milliseconds callTimeout(std::size_t shape) const;

  Task task;
  JudgeOptions options;
  TensorFolder memory;  ///< declared before the members that have files in it
  CppBuilder builder;
  ReferenceRun reference;
  MachinePeak peak;
  CallOverhead overhead;
  /// Per shape: tensors at the start and at the end of their pages.
  std::vector<std::array<CallTensors, 2>> tensors;
  Random random;  ///< marks, guards and places; seeded differently in every run
};

}  // namespace hone::kernel
