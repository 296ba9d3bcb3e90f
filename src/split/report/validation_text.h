#pragma once

#include <optional>
#include <string>

#include "split/sweep/validation.h"

namespace hone::split {

/// Part 6 of the report, below its heading: what measuring the recommended code showed, and whether
/// to take it.
[[nodiscard]] std::string validationText(const std::optional<Validation>& validation);

}  // namespace hone::split
