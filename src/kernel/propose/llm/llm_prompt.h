#pragma once

#include <span>
#include <string>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// What a model is asked in a turn: the kernel, the analysis, the examples, what was tried with its
/// measurements and errors, why parts of the last answer were refused, and the form of the answer.
[[nodiscard]] std::string promptFor(const TurnView& view, std::span<const std::string> refused);

}  // namespace hone::kernel
