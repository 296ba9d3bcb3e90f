#pragma once

#include <string>

#include "kernel/turns/optimizer.h"
#include "kernel/turns/output/outputs.h"

namespace hone::app {

/// Formats the result of a kernel: one line per turn, why it stopped, and the final comparison.
[[nodiscard]] std::string optimizedReport(const kernel::Optimized& optimized);
/// Formats the names of the written files.
[[nodiscard]] std::string filesReport(const kernel::OutputFiles& files);

/// Formats every candidate with its outcome, for --verbose.
[[nodiscard]] std::string triedReport(const kernel::Optimized& optimized);

}  // namespace hone::app
