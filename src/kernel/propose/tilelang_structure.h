#pragma once

#include <string_view>
#include <vector>

#include "kernel/propose/tilelang_knobs.h"

namespace hone::kernel {

/// Returns the structural changes of a GPU program as knobs: T.Pipelined instead of a T.serial loop
/// with copies ("pipeline"), T.copy instead of a loop that moves elements ("copy"), and
/// T.use_swizzle
/// ("swizzle"). `code` is the text without comments and strings.
[[nodiscard]] std::vector<TextKnob> structureKnobs(std::string_view text, std::string_view code);

}  // namespace hone::kernel
