#pragma once

#include <string>
#include <vector>

#include "iree/run/device.h"
#include "model/result/summary/tune_result.h"
#include "tune/folder/tuned_folder.h"
#include "tune/program/tuner.h"

namespace hone::app {

/// A program and its tuning result.
struct TunedProgram {
  tune::WholeProgram whole;
  tune::TuneResult result;
  std::int64_t wallNs = 0;                     ///< time that tuning took
  std::vector<model::SizeProof> otherSizes{};  ///< of --dim ranges
  model::DispatchGraph graph{};                ///< of the program with the given flags
  std::optional<tune::Effort> effort{};        ///< of the run
};

/// Converts the result to its stored form.
[[nodiscard]] model::TunedProgram toResult(const TunedProgram& tuned);

/// Prints the time of the run, the part of it that was spent on candidates, and hone's memory.
void printEffort(const tune::Effort& effort);
/// Returns the winners, for later runs with similar problems.
[[nodiscard]] std::vector<model::Precedent> collectPrecedents(const TunedProgram& tuned);

/// Prints the dispatches of a program with their costs, default configurations and knobs.
void printTunables(const tune::WholeProgram& whole,
                   const std::vector<tune::TunableDispatch>& tunables);
[[nodiscard]] model::TunedDispatch toResult(const tune::TunableDispatch& tunable);
/// Prints the values of each knob, with the compiler's default in brackets if it is among them.
void printKnobs(const knobs::KnobModel& model, const model::RootOperation& root);
/// Returns the loops of an operation: "32x2048x1024r", with "r" after a reduction.
[[nodiscard]] std::string loopsText(const model::RootOperation& root);

/// Prints the winners and the speedup of the whole program.
void printTuned(const TunedProgram& tuned, const iree::Device& device);

}  // namespace hone::app
