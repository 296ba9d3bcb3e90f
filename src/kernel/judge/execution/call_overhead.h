#pragma once

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/execution/running_kernel.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/worker/cpp/cpp_build.h"

namespace hone::kernel {

/// Time of a call that computes nothing.
struct Overhead {
  CallTime median;
  double noiseNs = 0;  ///< from the tenth percentile of the CPU time to the median

  /// Returns the net time of a call. It is at least `noiseNs`, so that a kernel cannot seem
  /// infinitely fast.
  [[nodiscard]] CallTime subtractFrom(const CallTime& time) const;
};

/// Measures the overhead of a call with an empty kernel in a trusted process: freezing and
/// resuming, and in Python also the interpreter and the copy of the outputs.
class CallOverhead {
 public:
  [[nodiscard]] static Result<CallOverhead> open(const JudgeOptions& options,
                                                 const std::filesystem::path& tensorFolder);

  /// Returns the overhead of calls of C++ kernels. Measures it on first use.
  [[nodiscard]] Result<Overhead> cpp(CppBuilder& builder);
  /// Returns the overhead of calls of Python code on these tensors, of the task's own shape.
  /// Measures it on first use.
  [[nodiscard]] Result<Overhead> python(CallTensors& tensors);

 private:
  CallOverhead(JudgeOptions options, CallTensors tensors)
      : options_(std::move(options)), tensors_(std::move(tensors)) {}
  [[nodiscard]] Result<Overhead> measure(const Runnable& runnable, CallTensors& tensors) const;

  JudgeOptions options_;
  CallTensors tensors_;  ///< small, for C++
  std::optional<Overhead> cpp_;
  std::optional<Overhead> python_;
};

}  // namespace hone::kernel
