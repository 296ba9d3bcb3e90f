#pragma once

#include <filesystem>

#include "kernel/turns/optimizer.h"
#include "kernel/turns/outputs.h"

namespace hone::app {

/// Prints what came of a kernel: a line a turn, why it stopped, what was confirmed and written.
void printOptimized(const kernel::Optimized& optimized, const kernel::OutputFiles& files);

/// The candidates of each turn with what became of them, for --verbose.
void printTried(const kernel::Optimized& optimized);

}  // namespace hone::app
