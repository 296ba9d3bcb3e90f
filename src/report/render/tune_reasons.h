#pragma once

#include <string>
#include <vector>

#include "model/result/summary/tune_result.h"

namespace hone::report {

/// Removes the program prefix, which is redundant on a page about one program.
[[nodiscard]] std::string shortDispatch(const std::string& name);

/// Explains why a dispatch without a winner keeps the compiler's default: "none of 16 candidates
/// was faster than the default in screening". Returns "no gain" for runs of older versions, which
/// did not store the reason.
[[nodiscard]] std::string explainDefaultKept(const model::TunedDispatch& dispatch);

/// Explains why a program without a proof keeps the compiler's default, one sentence per reason,
/// most important first. Empty if the reason was not stored.
[[nodiscard]] std::vector<std::string> explainNoGain(const model::TunedProgram& program);

/// Returns the main reason as half a sentence, for a list of runs; "" if it was not stored.
[[nodiscard]] std::string explainNoGainBriefly(const model::TunedProgram& program);

}  // namespace hone::report
