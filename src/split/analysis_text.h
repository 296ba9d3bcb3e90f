#pragma once

#include <optional>
#include <string>

#include "split/analysis.h"
#include "split/validation.h"

namespace hone::split {

/// comprehensive_analysis.txt: its six parts, for people. Times are milliseconds.
[[nodiscard]] std::string analysisText(const Analysis& analysis,
                                       const std::optional<Validation>& validation = std::nullopt);

}  // namespace hone::split
