#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// Returns the problems of a MIOpenDriver command: its name (conv, convfp16, convbfp16, convint8,
/// and gemm with the same suffixes) and its options. IREE's BOO driver uses the same commands.
///
/// Options and defaults are those of MIOpen's driver/conv_driver.hpp and driver/gemm_driver.hpp. A
/// convolution without -F is therefore three problems, where BOO takes the forward one only. A
/// single word may also be an operation name of IREE's dispatch profiler (see
/// problemFromProfilerName). Errors say what is wrong and what to do.
[[nodiscard]] Result<std::vector<Problem>> problemsFromCommand(
    std::span<const std::string_view> words);

/// Returns a line that is parsed back as the same problem: a command, or the dispatch profiler's
/// name for what MIOpen lacks (attention, 1-D, fused epilogues). Where MIOpen has no option, the
/// line has hone's own: --input_type, --lhs_type, --rhs_type, --result_type, and --unit_batch 1 for
/// a batch dimension of size 1.
[[nodiscard]] std::string formatCommandLine(const Problem& problem);

}  // namespace hone::model
