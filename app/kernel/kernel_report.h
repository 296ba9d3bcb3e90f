#pragma once

#include <string>

#include "kernel/turns/optimizer.h"
#include "kernel/turns/outputs.h"

namespace hone::app {

/// What came of a kernel: a line a turn, why it stopped, what was confirmed.
[[nodiscard]] std::string optimizedReport(const kernel::Optimized& optimized);
/// What was written.
[[nodiscard]] std::string filesReport(const kernel::OutputFiles& files);

/// The candidates of each turn with what became of them, for --verbose.
[[nodiscard]] std::string triedReport(const kernel::Optimized& optimized);

}  // namespace hone::app
