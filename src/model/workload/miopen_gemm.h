#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"
#include "model/workload/miopen_types.h"

namespace hone::model {

/// Returns the checked problem of a gemm command with these options.
[[nodiscard]] Result<std::vector<Problem>> gemmProblems(const CommandTypes& types,
                                                        std::span<const std::string_view> options);

/// Returns the command that is parsed back as the same problem.
[[nodiscard]] std::string gemmCommand(const Matmul& matmul);

}  // namespace hone::model
