#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "kernel/judge/judge_context.h"
#include "kernel/judge/judge_result.h"
#include "kernel/judge/kernel_verifier.h"
#include "kernel/judge/runnable.h"
#include "model/result/sample.h"

namespace hone::kernel {

/// Times kernels on inputs that they have not seen. The context and the verifier must outlive it.
class KernelTimer {
 public:
  KernelTimer(JudgeContext& context, KernelVerifier& verifier)
      : context_(context), verifier_(verifier) {}

  /// Takes the samples of one process and verifies the outputs of each request.
  [[nodiscard]] Result<void> time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                                  std::int64_t position, JudgeResult& judged);

 private:
  /// Drops the oldest timed inputs, as far as the time budget for new ones allows.
  void renewTimingCases();
  /// Returns the inputs of the turn-th request of a process; the next process gets other ones.
  [[nodiscard]] Result<Case*> timingCase(std::size_t turn);
  /// Rejects samples that are faster than the peak of the machine.
  [[nodiscard]] Result<void> checkSpeed(JudgeResult& judged);

  JudgeContext& context_;
  KernelVerifier& verifier_;
  std::vector<Case> timingCases_;  ///< for the task's own shape; created on demand
  std::int64_t renewalNs_ = 0;     ///< time budget for new timed inputs
  std::int64_t timingCaseNs_ = 1;  ///< time that creating the last case took
};

}  // namespace hone::kernel
