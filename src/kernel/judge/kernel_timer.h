#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "kernel/judge/judge_context.h"
#include "kernel/judge/judged.h"
#include "kernel/judge/kernel_verifier.h"
#include "kernel/judge/runnable.h"
#include "model/result/sample.h"

namespace hone::kernel {

/// Times kernels on inputs that they have not seen. Context and verifier must outlive it.
class KernelTimer {
 public:
  KernelTimer(JudgeContext& context, KernelVerifier& verifier)
      : context_(context), verifier_(verifier) {}

  /// Takes the samples of one process, and checks what it computed meanwhile.
  [[nodiscard]] Result<void> time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                                  std::int64_t position, Judged& judged);

 private:
  /// Has the oldest timed inputs made anew, as many as there is time for.
  void renewTimingCases();
  /// Returns the inputs of the turn-th request of a process; the next process gets other ones.
  [[nodiscard]] Result<Case*> timingCase(std::size_t turn);
  /// Refuses samples that are faster than the machine can be.
  [[nodiscard]] Result<void> checkSpeed(Judged& judged);

  JudgeContext& context_;
  KernelVerifier& verifier_;
  std::vector<Case> timingCases_;  ///< of the task's own shape; made when they are needed
  std::int64_t renewalNs_ = 0;     ///< what may be spent on other timed inputs
  std::int64_t timingCaseNs_ = 1;  ///< what the last of them took to make
};

}  // namespace hone::kernel
