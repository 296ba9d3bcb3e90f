#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge_result.h"
#include "kernel/judge/runnable.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {

/// Returns the wall time of a kernel that may use `threads` threads, raised to cpuNs / threads.
/// Extra threads, or work that continues after the reply, therefore gain nothing.
[[nodiscard]] double fairWallNs(const TimedReply& timed, int threads);

/// A runnable in a new worker, with its tensors, ready to be called. Failures of the kernel are
/// recorded in a JudgeResult; an error is an interrupt or a machine error.
class RunningKernel {
 public:
  /// Starts a worker and loads the runnable. Returns nullopt if loading fails; `judged` says why.
  [[nodiscard]] static Result<std::optional<RunningKernel>> start(
      const Runnable& runnable, std::span<const CallTensors* const> tensors,
      std::chrono::milliseconds limit, JudgeResult& judged);

  /// Calls the kernel. Returns false if the call fails; `judged` says why.
  [[nodiscard]] Result<bool> call(const CallTensors& tensors, std::chrono::milliseconds limit,
                                  JudgeResult& judged);
  /// Makes a Python worker fill the inputs with those that the reference file creates for this
  /// seed.
  [[nodiscard]] Result<bool> make(const CallTensors& tensors,
                                  const std::filesystem::path& reference, std::uint64_t seed,
                                  std::chrono::milliseconds limit, JudgeResult& judged);
  /// Times `iterations` calls on stirred inputs after `warmUp` others. Returns nullopt if a call
  /// fails.
  [[nodiscard]] Result<std::optional<TimedReply>> time(const CallTensors& tensors,
                                                       std::int64_t warmUp, std::int64_t iterations,
                                                       std::uint64_t stir,
                                                       std::chrono::milliseconds limit,
                                                       JudgeResult& judged);
  [[nodiscard]] const Worker& worker() const { return worker_; }
  [[nodiscard]] bool isUntrusted() const { return isUntrusted_; }
  /// Enables event counters for the kernel's thread. C++ only: a Python worker's thread runs more
  /// than the kernel.
  void countEvents() {
    if (isUntrusted_ && isCpp_) {
      worker_.countEvents();
    }
  }

  // Checks for work outside of the timed interval. Each returns "" or a description of the cheat.

  /// Detects threads that computed between two requests, on inputs that were not yet passed to a
  /// call.
  [[nodiscard]] std::string detectWorkAhead(const TimedReply& before,
                                            const TimedReply& timed) const;
  /// Detects results that are computed only when they are copied, outside of the timed interval.
  [[nodiscard]] std::string detectDeferredWork(const TimedReply& timed, const Shape& shape) const;
  /// Detects work since the reply.
  [[nodiscard]] std::string detectWorkAfterReply(const TimedReply& timed) const;
  /// Detects threads left behind by a kernel that may use only one.
  [[nodiscard]] std::string detectLeftThreads(int allowed) const;

 private:
  RunningKernel(Worker worker, const Runnable& runnable)
      : worker_(std::move(worker)),
        isUntrusted_(runnable.onCpu() && runnable.load.value("role", "") == "kernel"),
        isCpp_(runnable.load.contains("library")) {}
  [[nodiscard]] Result<bool> accept(const Reply& reply, JudgeResult& judged) const;

  Worker worker_;
  bool isUntrusted_;  ///< false for PyTorch and for GPU kernels, whose driver uses CPU time
  bool isCpp_;
};

}  // namespace hone::kernel
