#pragma once

#include "base/error.h"
#include "split/source/source_rule.h"

namespace hone::split {

/// Reads the early returns before the decision of a rule: sets its form, conditions, constants,
/// disabled lines and kept returns. Code that hone does not understand is a user error that names
/// its line and the construct.
[[nodiscard]] Result<void> readConditions(SourceRule& rule);

}  // namespace hone::split
