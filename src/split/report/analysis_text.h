#pragma once

#include <optional>
#include <string>

#include "split/fit/analysis.h"
#include "split/sweep/validation.h"

namespace hone::split {

/// Returns the text of comprehensive_analysis.txt, in six parts. Times are milliseconds.
[[nodiscard]] std::string analysisText(const Analysis& analysis,
                                       const std::optional<Validation>& validation = std::nullopt);

}  // namespace hone::split
