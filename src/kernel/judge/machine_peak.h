#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "kernel/judge/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/runnable.h"
#include "kernel/worker/cpp_build.h"

namespace hone::kernel {

/// What one core of this machine can do at best, by code made for nothing else: fused
/// multiply-adds on registers, and loads from the first-level cache. No kernel is quicker.
class MachinePeak {
 public:
  [[nodiscard]] static Result<MachinePeak> open(const JudgeOptions& options,
                                                const std::filesystem::path& tensorFolder);

  /// The least time that a call of the shape can take on `threads` cores: its flops, or the writing
  /// of its outputs. Measured at the first use.
  [[nodiscard]] Result<double> leastNs(const Shape& shape, int threads, CppBuilder& builder);
  /// Looks again: another program may have been in the way. The figures only ever rise.
  [[nodiscard]] Result<void> measure(CppBuilder& builder);

  [[nodiscard]] double gflops() const { return gflops_; }
  [[nodiscard]] double gbps() const { return gbps_; }

 private:
  MachinePeak(JudgeOptions options, CallTensors tensors)
      : options_(std::move(options)), tensors_(std::move(tensors)) {}
  [[nodiscard]] Result<double> fastestNs(const Runnable& runnable);

  JudgeOptions options_;
  CallTensors tensors_;
  double gflops_ = 0;
  double gbps_ = 0;
};

}  // namespace hone::kernel
