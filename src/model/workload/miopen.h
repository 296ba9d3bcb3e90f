#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// The problems of a command of MIOpenDriver, or of IREE's BOO driver, which takes the same: its
/// name (conv, convfp16, convbfp16, convint8, and gemm with the same endings) and its options.
/// Options and defaults are those of MIOpen's driver/conv_driver.hpp and driver/gemm_driver.hpp; so
/// a convolution without -F is three problems, where BOO takes the forward one only. Errors say
/// what is wrong and what to do. A word that is a name of the profiler (see problemFromSeedName) is
/// that problem.
[[nodiscard]] Result<std::vector<Problem>> problemsFromCommand(
    std::span<const std::string_view> words);

/// The problem as a line that is read back as the same problem: a command, or, for what MIOpen does
/// not have (attention, 1-D, fused forms), the profiler's name of it. Where MIOpen has no word for
/// something, hone's own options stand in it: --input_type, --lhs_type, --rhs_type, --result_type,
/// and --unit_batch 1 for a batch dimension of size 1.
[[nodiscard]] std::string commandLineOf(const Problem& problem);

}  // namespace hone::model
