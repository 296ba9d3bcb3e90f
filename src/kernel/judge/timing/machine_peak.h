#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/worker/cpp/cpp_build.h"

namespace hone::kernel {

/// Peak performance of one core.
struct CorePeak {
  double gflops = 0;
  double gbps = 0;        ///< first-level cache bandwidth
  double memoryGbps = 0;  ///< bandwidth of writes beyond the caches; 0: unknown
  double cacheBytes = 0;  ///< size of the last-level cache; 0: unknown
};

/// Returns the minimum time for `flops` and for writing `outputBytes`. Output that the caches
/// cannot hold must reach memory by the end of the call. Inputs do not count: a kernel need not
/// read all of them.
[[nodiscard]] double minNsAtPeak(double flops, double outputBytes, const CorePeak& peak);

/// Measures the peak of one core with dedicated microbenchmarks: fused multiply-adds on registers,
/// loads from the first-level cache, and stores to memory if a task's outputs exceed all caches. No
/// kernel can be faster.
class MachinePeak {
 public:
  [[nodiscard]] static Result<MachinePeak> open(const JudgeOptions& options,
                                                const std::filesystem::path& tensorFolder);

  /// Returns the minimum time of a call of the shape on `threads` cores, bound by its flops or by
  /// writing its outputs. Measures the peak on first use.
  [[nodiscard]] Result<double> minCallNs(const Shape& shape, int threads, CppBuilder& builder);
  /// Measures again, in case another program interfered. The figures never decrease.
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
  bool large_ = false;  ///< true if a task had outputs larger than the caches
};

}  // namespace hone::kernel
