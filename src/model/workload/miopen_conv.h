#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"
#include "model/workload/miopen_types.h"

namespace hone::model {

/// Returns the checked problems of a conv command with these options. If -F selects several
/// directions, their order is forward, backward data, weight backward.
[[nodiscard]] Result<std::vector<Problem>> convProblems(const CommandTypes& types,
                                                        std::span<const std::string_view> options);

/// Returns the command that is parsed back as the same problem.
[[nodiscard]] std::string convCommand(const Conv& conv);

}  // namespace hone::model
