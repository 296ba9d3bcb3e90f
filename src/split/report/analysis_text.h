#pragma once

#include <optional>
#include <string>

#include "split/fit/analysis.h"
#include "split/sweep/validation.h"

namespace hone::split {

/// comprehensive_analysis.txt: its six parts, for people. Times are milliseconds.
[[nodiscard]] std::string analysisText(const Analysis& analysis,
                                       const std::optional<Validation>& validation = std::nullopt);

}  // namespace hone::split
