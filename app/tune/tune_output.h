#pragma once

#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "app/tune/tuned_result.h"

namespace hone::app {

/// Writes one spec for all programs, and the scripts that some flags need beside it. Prints the
/// results and how to use them; also prints the spec if `output` is empty. A program whose spec
/// conflicts with another gets a separate file.
[[nodiscard]] Result<void> writeResult(const Context& context, Toolchain& toolchain,
                                       Progress& progress, const std::vector<TunedProgram>& tuned,
                                       const std::string& output);

}  // namespace hone::app
