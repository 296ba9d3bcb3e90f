#pragma once

#include "app/tune/tuned_result.h"
#include "iree/run/device.h"

namespace hone::app {

/// Prints the winners and the speedup of the whole program.
void printTuned(const TunedProgram& tuned, const iree::Device& device);

/// Prints the time of the run, the part of it that was spent on candidates, and hone's memory.
void printEffort(const tune::Effort& effort);

}  // namespace hone::app
