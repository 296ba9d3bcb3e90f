#pragma once

#include <span>
#include <string>

#include "split/fit/recommendation.h"

namespace hone::split {

/// Returns part 4 of the report without its heading: the constants (A) and the code (B) per kind,
/// for each form of the source, and the recommended code.
[[nodiscard]] std::string recommendationText(std::span<const Recommendation> recommendations);

}  // namespace hone::split
