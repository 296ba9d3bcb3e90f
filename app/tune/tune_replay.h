#pragma once

#include <cstdint>
#include <string>

#include "app/common/context.h"
#include "base/error.h"

namespace hone::app {

/// Simulates a strategy on a recorded run (a number or "last"), without compiling or measuring.
/// Writes the recordings to `folder` if it is not empty.
[[nodiscard]] Result<int> replayRun(const Context& context, const std::string& run,
                                    const std::string& strategy, const std::string& folder);

}  // namespace hone::app
