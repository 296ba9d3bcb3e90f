#pragma once

#include <cstdint>

#include "base/error.h"
#include "kernel/judge/judge.h"

namespace hone::kernel {

/// Interface of the judge as the optimizer loop uses it; lets tests run the loop without processes.
class KernelJudge {
 public:
  KernelJudge() = default;
  KernelJudge(const KernelJudge&) = delete;
  KernelJudge& operator=(const KernelJudge&) = delete;
  virtual ~KernelJudge() = default;

  [[nodiscard]] virtual const Task& task() const = 0;
  [[nodiscard]] virtual bool hasPyTorch() const = 0;
  [[nodiscard]] virtual Result<JudgeResult> judge(const Source& source, std::uint64_t salt) = 0;
  [[nodiscard]] virtual Result<JudgeResult> measure(const Implementation& implementation,
                                                    model::Stage stage, std::int64_t round,
                                                    std::int64_t position) = 0;
};

/// Forwards to a Judge, which must outlive it.
class RealKernelJudge : public KernelJudge {
 public:
  explicit RealKernelJudge(Judge& judge) : judge_(judge) {}

  [[nodiscard]] const Task& task() const override { return judge_.task(); }
  [[nodiscard]] bool hasPyTorch() const override { return judge_.hasPyTorch(); }
  [[nodiscard]] Result<JudgeResult> judge(const Source& source, std::uint64_t salt) override {
    return judge_.judge(source, salt);
  }
  [[nodiscard]] Result<JudgeResult> measure(const Implementation& implementation,
                                            model::Stage stage, std::int64_t round,
                                            std::int64_t position) override {
    return judge_.measure(implementation, stage, round, position);
  }

 private:
  Judge& judge_;
};

}  // namespace hone::kernel
