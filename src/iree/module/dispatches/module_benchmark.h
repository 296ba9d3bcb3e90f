#pragma once

#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/dispatches/module_dispatches.h"

namespace hone::iree {

/// Lists the dispatches of a file written by --iree-hal-dump-executable-benchmarks-to, in a compile
/// child. The function in the file has no results, and its executable is already configured. The
/// returned texts are programs before configuration. Their function takes the dispatch's buffers
/// and returns those that it writes. Modifies the module.
[[nodiscard]] std::vector<DispatchDescription> benchmarkDispatchesIn(const CompilerApi& api,
                                                                     MlirOperation module);

}  // namespace hone::iree
