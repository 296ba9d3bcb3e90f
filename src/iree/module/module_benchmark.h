#pragma once

#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/module_dispatches.h"

namespace hone::iree {

/// Lists the dispatches of a file that --iree-hal-dump-executable-benchmarks-to wrote, in a compile
/// child. The file's own function has no results, and its executable
/// is configured already: the texts are programs before configuration, with a function that takes
/// the dispatch's buffers and returns those that it writes. Edits the module.
[[nodiscard]] std::vector<DispatchDescription> benchmarkDispatchesIn(const CompilerApi& api,
                                                                     MlirOperation module);

}  // namespace hone::iree
