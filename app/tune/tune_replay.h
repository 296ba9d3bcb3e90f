#pragma once

#include <cstdint>
#include <string>

#include "app/common/context.h"
#include "base/error.h"

namespace hone::app {

/// How a strategy would have done in a recorded run, without compiling or measuring anything. With
/// a folder the recordings are written there.
[[nodiscard]] Result<int> replayRun(const Context& context, std::int64_t run,
                                    const std::string& strategy, const std::string& folder);

}  // namespace hone::app
