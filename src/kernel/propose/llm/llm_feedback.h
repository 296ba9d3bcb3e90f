#pragma once

#include <string>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

// Results of candidates in the words that a model gets. A kernel must not be able to send texts to
// the model: messages of the judge contain no text of a running kernel (docs/kernel-worker.md), and
// of the diagnostics, only messages of the compiler about lines of the kernel are used.

/// Describes why a candidate failed, in full: all errors of the compiler, the wrong element with
/// its values, the time compared with the best kernel, or the rule that rejected it.
[[nodiscard]] std::string describeFailure(const JudgedProposal& tried);

/// Describes a result in one line: "correct, 1.25x over the original", or its first error.
[[nodiscard]] std::string summarizeResult(const JudgedProposal& tried);

}  // namespace hone::kernel
