#pragma once

#include <optional>
#include <string>

#include "split/sweep/validation/validation.h"

namespace hone::split {

/// Returns part 6 of the report without its heading: measurements of the recommended code, and the
/// verdict.
[[nodiscard]] std::string validationText(const std::optional<Validation>& validation);

}  // namespace hone::split
