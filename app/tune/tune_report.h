#pragma once

#include <string>
#include <vector>

#include "iree/run/device.h"
#include "model/result/summary/tune_result.h"
#include "tune/program/tuner.h"

namespace hone::app {

/// A program with what came of tuning it.
struct TunedProgram {
  tune::WholeProgram whole;
  tune::TuneResult result;
};

/// The same as the store keeps it.
[[nodiscard]] model::TunedProgram resultOf(const TunedProgram& tuned);
/// Its winners, for later runs with similar problems.
[[nodiscard]] std::vector<model::Precedent> precedentsOf(const TunedProgram& tuned);

/// What can be tuned in a program, what it costs and what the compiler chooses by itself.
void printSubjects(const tune::WholeProgram& whole, const std::vector<tune::Subject>& subjects,
                   bool inFull);
[[nodiscard]] model::TunedDispatch resultOf(const tune::Subject& subject);

/// What was found, and what it gives to the whole program.
void printTuned(const TunedProgram& tuned, const iree::Device& device);

}  // namespace hone::app
