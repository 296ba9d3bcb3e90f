#pragma once

#include <optional>
#include <string>

#include "split/fit/analysis.h"
#include "split/sweep/validation/validation.h"

namespace hone::split {

/// Returns the text of comprehensive_analysis.txt, in six parts. Times are milliseconds.
[[nodiscard]] std::string analysisText(const Analysis& analysis,
                                       const std::optional<Validation>& validation = std::nullopt);

/// Return parts of that text: part 1 without its heading, and parts 2 to 5.
[[nodiscard]] std::string rankingText(const LimitRanking& ranking, std::size_t shapes);
[[nodiscard]] std::string comparisonPartsText(const Analysis& analysis);

}  // namespace hone::split
