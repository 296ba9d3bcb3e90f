#pragma once

#include "app/common/context.h"
#include "base/error.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Fails with a user error if the parsed command would write to one of its input files, to the
/// store, or two outputs to one file.
[[nodiscard]] Result<void> checkOutputs(const CLI::App& app, const Context& context);

}  // namespace hone::app
