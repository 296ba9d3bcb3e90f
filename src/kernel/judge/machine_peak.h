#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/runnable.h"
#include "kernel/worker/cpp/cpp_build.h"

namespace hone::kernel {

/// What one core can do at best.
struct CorePeak {
  double gflops = 0;
  double gbps = 0;        ///< of the first-level cache
  double memoryGbps = 0;  ///< of writing more than the caches hold; 0: not known
  double cacheBytes = 0;  ///< of the last-level cache; 0: not known
};

/// The least time of so many flops and the writing of so many bytes: what the caches do not hold
/// must have gone to memory by the end. Inputs are not counted: not every kernel has to read all.
[[nodiscard]] double leastNsOf(double flops, double outputBytes, const CorePeak& peak);

/// What one core of this machine can do at best, by code made for nothing else: fused
/// multiply-adds on registers, loads from the first-level cache, and, for a task whose outputs are
/// larger than all caches, stores to memory. No kernel is quicker.
class MachinePeak {
 public:
  [[nodiscard]] static Result<MachinePeak> open(const JudgeOptions& options,
                                                const std::filesystem::path& tensorFolder);

  /// The least time that a call of the shape can take on `threads` cores: its flops, or the writing
  /// of its outputs. Measured at the first use.
  [[nodiscard]] Result<double> leastNs(const Shape& shape, int threads, CppBuilder& builder);
  /// Looks again: another program may have been in the way. The figures only ever rise.
  [[nodiscard]] Result<void> measure(CppBuilder& builder);

  [[nodiscard]] const CorePeak& core() const { return core_; }

 private:
  MachinePeak(JudgeOptions options, std::filesystem::path folder, CallTensors tensors);
  [[nodiscard]] Result<double> fastestNs(const Runnable& runnable);
  [[nodiscard]] Result<void> measureMemory(CppBuilder& builder);

  JudgeOptions options_;
  std::filesystem::path folder_;
  CallTensors tensors_;
  CorePeak core_;
  bool large_ = false;  ///< a task had outputs that the caches do not hold
};

}  // namespace hone::kernel
