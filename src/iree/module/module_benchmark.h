#pragma once

#include <nlohmann/json.hpp>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// The dispatches of a file that --iree-hal-dump-executable-benchmarks-to wrote, in a compile
/// child, in the form of dispatchesIn. The file's own function has no results, and its executable
/// is configured already: the texts are programs before configuration, with a function that takes
/// the dispatch's buffers and returns those that it writes. Edits the module.
[[nodiscard]] nlohmann::json benchmarkDispatchesIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
