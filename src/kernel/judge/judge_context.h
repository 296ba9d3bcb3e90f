#pragma once

#include <array>
#include <chrono>
#include <vector>

#include "base/random.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/machine_peak.h"
#include "kernel/judge/reference_run.h"
#include "kernel/worker/cpp/cpp_build.h"
#include "kernel/worker/tensor_folder.h"

namespace hone::kernel {

/// The state that verifying and timing the kernels of one task share.
struct JudgeContext {
  /// Builds what every judge needs; fails if the tensors need more memory than a kernel may have.
  [[nodiscard]] static Result<JudgeContext> open(Task task, JudgeOptions options);

  [[nodiscard]] const Shape& shapeOf(std::size_t index) const {
    return index == 0 ? task.shape : task.others[index - 1];
  }
  /// Returns how long a call may take at most.
  [[nodiscard]] std::chrono::milliseconds patience(std::size_t shape) const;

  Task task;
  JudgeOptions options;
  TensorFolder memory;  ///< before what has files in it
  CppBuilder builder;
  ReferenceRun reference;
  MachinePeak peak;
  /// Of each shape, at the start and at the end of its pages.
  std::vector<std::array<CallTensors, 2>> tensors;
  Random random;  ///< for timed inputs, marks, guards and stirring; never the same twice
};

}  // namespace hone::kernel
