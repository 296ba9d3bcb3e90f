#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"
#include "model/workload/miopen_types.h"

namespace hone::model {

/// Returns the problems that the options of a conv command ask for, checked: several where -F names
/// several directions, in the order forward, backward data, weight backward.
[[nodiscard]] Result<std::vector<Problem>> convProblems(const CommandTypes& types,
                                                        std::span<const std::string_view> options);

/// Returns the command that is read back as the same problem.
[[nodiscard]] std::string convCommand(const Conv& conv);

}  // namespace hone::model
