#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"
#include "model/workload/miopen_types.h"

namespace hone::model {

/// Returns the problem that the options of a gemm command ask for, checked.
[[nodiscard]] Result<std::vector<Problem>> gemmProblems(const CommandTypes& types,
                                                        std::span<const std::string_view> options);

/// Returns the command that is read back as the same problem.
[[nodiscard]] std::string gemmCommand(const Matmul& matmul);

}  // namespace hone::model
