#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "kernel/judge/execution/call_overhead.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/input/timed_inputs.h"
#include "kernel/judge/judge_context.h"
#include "kernel/judge/judge_result.h"
#include "kernel/judge/verify/kernel_verifier.h"
#include "model/result/sample.h"

namespace hone::kernel {

/// Times kernels on inputs that they have not seen. The context and the verifier must outlive it.
class KernelTimer {
 public:
  KernelTimer(JudgeContext& context, KernelVerifier& verifier)
      : context_(context), verifier_(verifier) {}

  /// Takes the samples of one process and verifies one call of each sample.
  [[nodiscard]] Result<void> time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                                  std::int64_t position, JudgeResult& judged);

 private:
  /// The inputs of a sample. All processes see the same ones: if only the verified inputs came
  /// again, a kernel that remembers those of earlier processes would know which call is verified.
  struct TimingCase {
    std::vector<InputKey> keys;  ///< the first one gives the verified inputs
    Case contents;               ///< of the verified call
  };

  /// Creates the generator of timed inputs on first use. Selects a range of numbers for which most
  /// outputs are finite: a kernel may stop as soon as a result is NaN.
  [[nodiscard]] Result<void> prepareInputs();
  /// Drops the oldest cases, as far as the time budget for new ones allows.
  void renewTimingCases();
  /// Returns a case that the current process has not seen.
  [[nodiscard]] Result<TimingCase*> nextTimingCase();
  /// Returns a random order of the first `calls` keys, which are drawn on demand.
  [[nodiscard]] static Result<std::vector<std::size_t>> drawOrder(TimingCase& known,
                                                                  std::int64_t calls);
  /// Times `calls` calls on new inputs and verifies one of them. Returns the mean of their times;
  /// nullopt if a call fails or is wrong.
  [[nodiscard]] Result<std::optional<CallTime>> takeSample(RunningKernel& running,
                                                           std::int64_t calls, JudgeResult& judged);
  /// Times calls without verifying them. Returns false if one fails.
  [[nodiscard]] Result<bool> warmUp(RunningKernel& running, JudgeResult& judged);
  /// Watches a call; see RunningKernel::watch(). Drops the samples if it fails.
  [[nodiscard]] Result<bool> watch(RunningKernel& running, JudgeResult& judged);
  [[nodiscard]] Result<Overhead> measureOverhead(const Runnable& runnable);
  /// Rejects samples that are faster than the peak of the machine.
  [[nodiscard]] Result<void> checkSpeed(JudgeResult& judged);

  JudgeContext& context_;
  KernelVerifier& verifier_;
  std::optional<TimedInputs> inputs_;
  std::vector<TimingCase> timingCases_;  ///< for the task's own shape; created on demand
  std::size_t usedCases_ = 0;            ///< number of cases that the current process has seen
  std::int64_t renewalNs_ = 0;           ///< time budget for new cases
  std::int64_t timingCaseNs_ = 1;        ///< time that creating the last case took
};

}  // namespace hone::kernel
