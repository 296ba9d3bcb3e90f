#pragma once

#include <string>
#include <vector>

#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"
#include "tune/program/tuner.h"

namespace hone::app {

/// Prints the dispatches of a program with their costs, default configurations and knobs.
void printTunables(const tune::WholeProgram& whole,
                   const std::vector<tune::TunableDispatch>& tunables);
/// Prints the values of each knob, with the compiler's default in brackets if it is among them.
void printKnobs(const knobs::KnobModel& model, const model::RootOperation& root);
/// Returns the loops of an operation: "32x2048x1024r", with "r" after a reduction.
[[nodiscard]] std::string loopsText(const model::RootOperation& root);

}  // namespace hone::app
