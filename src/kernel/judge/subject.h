#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judged.h"
#include "kernel/judge/runnable.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {

/// The wall time of a kernel that may compute on so many threads: not less than they would need for
/// what was computed, so that more threads, or work that goes on after the answer, gain nothing.
[[nodiscard]] double fairWallNs(const TimedReply& timed, int threads);

/// A runnable in a fresh worker, with its tensors, ready to be called. What goes wrong with it is
/// noted in a Judged; an error is an interrupt or the machine's.
class Subject {
 public:
  /// Nothing where it cannot be loaded: `judged` says why.
  [[nodiscard]] static Result<std::optional<Subject>> start(
      const Runnable& runnable, std::span<const CallTensors* const> tensors,
      std::chrono::milliseconds limit, Judged& judged);

  /// False where the call failed: `judged` says why.
  [[nodiscard]] Result<bool> call(const CallTensors& tensors, std::chrono::milliseconds limit,
                                  Judged& judged);
  /// Has a Python worker fill the inputs as the reference file does, for this seed.
  [[nodiscard]] Result<bool> make(const CallTensors& tensors,
                                  const std::filesystem::path& reference, std::uint64_t seed,
                                  std::chrono::milliseconds limit, Judged& judged);
  /// `iterations` calls on stirred inputs after `warmUp` others; nothing where they failed.
  [[nodiscard]] Result<std::optional<TimedReply>> time(const CallTensors& tensors,
                                                       std::int64_t warmUp, std::int64_t iterations,
                                                       std::uint64_t stir,
                                                       std::chrono::milliseconds limit,
                                                       Judged& judged);
  [[nodiscard]] const Worker& worker() const { return worker_; }
  [[nodiscard]] bool isSuspect() const { return isSuspect_; }
  /// Has what a kernel's thread does counted, too; in Python more than the kernel runs in it.
  void countEvents() {
    if (isSuspect_ && isCpp_) {
      worker_.countEvents();
    }
  }

  // What a kernel does to have its work uncounted; "" or a sentence.

  /// Whether a thread of it computed between two requests, on inputs that it was not called with.
  [[nodiscard]] std::string workedAhead(const TimedReply& before, const TimedReply& timed) const;
  /// Whether its results were computed only when they were copied, which nobody counts.
  [[nodiscard]] std::string workedInCopying(const TimedReply& timed, const Shape& shape) const;
  /// Whether it computed since its answer.
  [[nodiscard]] std::string workedOn(const TimedReply& timed) const;
  /// Whether threads are left of a kernel that may have one.
  [[nodiscard]] std::string keptThreads(int allowed) const;

 private:
  Subject(Worker worker, const Runnable& runnable)
      : worker_(std::move(worker)),
        isSuspect_(runnable.onCpu() && runnable.load.value("role", "") == "kernel"),
        isCpp_(runnable.load.contains("library")) {}
  [[nodiscard]] Result<bool> accept(const Reply& reply, Judged& judged) const;

  Worker worker_;
  bool isSuspect_;  ///< PyTorch is none; what a GPU's driver computes is not the kernel's
  bool isCpp_;
};

}  // namespace hone::kernel
