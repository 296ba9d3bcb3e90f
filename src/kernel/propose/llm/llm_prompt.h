#pragma once

#include <span>
#include <string>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// Builds the prompt of a turn: the kernel, the analysis, the examples, earlier candidates with
/// their measurements and errors, the rejected parts of the last answer, and the answer format.
[[nodiscard]] std::string buildPrompt(const TurnView& view, std::span<const std::string> rejected);

}  // namespace hone::kernel
