#pragma once

#include <span>
#include <string>

#include "split/fit/recommendation.h"

namespace hone::split {

/// Part 4 of the report, below its heading: for each form of the source the constants (A) and the
/// code (B) of each kind, and which code to take.
[[nodiscard]] std::string recommendationText(std::span<const Recommendation> recommendations);

}  // namespace hone::split
