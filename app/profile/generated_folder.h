#pragma once

#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "base/error.h"
#include "profile/dispatch_filter.h"
#include "profile/generated.h"

namespace hone::app {

/// What lies generated in the folder, as far as the patterns ask for it. It says itself for which
/// target it was made: `engine` gets it, unless the user named another, which is a user error.
[[nodiscard]] Result<std::vector<profile::Generated>> chooseGenerated(
    const std::string& folder, const profile::DispatchFilter& filter, ToolchainOptions& toolchain);

/// The operations that have a dispatch which the patterns ask for. None: a user error that lists
/// the nearest names.
[[nodiscard]] Result<std::vector<profile::Generated>> matching(
    std::vector<profile::Generated> all, const profile::DispatchFilter& filter);

}  // namespace hone::app
