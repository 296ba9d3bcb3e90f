#pragma once

#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "base/error.h"
#include "profile/dispatch_filter.h"
#include "profile/generated.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options that `generate`, `compile` and `profile` share with IREE's dispatch profiler.
struct DispatchOptions {
  std::string folder = ".";  ///< parent of the folder `generated`
  std::string dispatches;    ///< see profile::DispatchFilter

  /// Adds the options. --build-dir sets the folder with IREE in `context`, which must outlive the
  /// parser.
  void addTo(CLI::App& command, Context& context);
};

/// Returns the generated operations that match `filter`, and sets the target they were generated
/// for. Fails with a user error if the user specified another target.
[[nodiscard]] Result<std::vector<profile::Generated>> chooseGenerated(
    const std::string& folder, const profile::DispatchFilter& filter, ToolchainOptions& toolchain);

/// Returns the error for a filter that matches none of `names`; it lists similar names.
[[nodiscard]] std::unexpected<Error> noDispatchMatches(const profile::DispatchFilter& filter,
                                                       const std::vector<std::string>& names);

/// Returns the operations with a dispatch that matches `filter`. Fails with a user error that lists
/// similar names if there are none.
[[nodiscard]] Result<std::vector<profile::Generated>> matching(
    std::vector<profile::Generated> all, const profile::DispatchFilter& filter);

}  // namespace hone::app
