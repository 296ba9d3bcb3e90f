#pragma once

#include <string>
#include <string_view>

#include "iree/module/compiler_api.h"
#include "model/result/summary/dispatch_graph.h"

namespace hone::iree {

/// Returns the data flow between the dispatches of a program's functions, from its IR after `flow`,
/// in a compile child. Omits operations that only rename, slice or copy a tensor.
[[nodiscard]] model::DispatchGraph dispatchGraphIn(const CompilerApi& api, MlirOperation module);

/// Returns the functions of a dispatch in configured IR as text; "" if the program does not have
/// the dispatch.
[[nodiscard]] std::string dispatchText(const CompilerApi& api, MlirOperation module,
                                       std::string_view dispatch);

}  // namespace hone::iree
