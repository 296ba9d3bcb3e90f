#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "kernel/judge/call_tensors.h"
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

 private:
  explicit Subject(Worker worker) : worker_(std::move(worker)) {}
  [[nodiscard]] Result<bool> accept(const Reply& reply, Judged& judged) const;

  Worker worker_;
};

}  // namespace hone::kernel
