#pragma once

#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "base/error.h"
#include "profile/dispatch_filter.h"
#include "profile/generated.h"

namespace hone::app {

/// Returns the generated operations that match `filter`, and sets the target they were generated
/// for. Fails with a user error if the user specified another target.
[[nodiscard]] Result<std::vector<profile::Generated>> chooseGenerated(
    const std::string& folder, const profile::DispatchFilter& filter, ToolchainOptions& toolchain);

/// Returns the operations with a dispatch that matches `filter`. Fails with a user error that lists
/// similar names if there are none.
[[nodiscard]] Result<std::vector<profile::Generated>> matching(
    std::vector<profile::Generated> all, const profile::DispatchFilter& filter);

}  // namespace hone::app
