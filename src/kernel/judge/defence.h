#pragma once

#include "kernel/judge/judge_result.h"

namespace hone::kernel {

/// Returns the defence that decided.
[[nodiscard]] Defence findDefence(const JudgeResult& judged);

}  // namespace hone::kernel
