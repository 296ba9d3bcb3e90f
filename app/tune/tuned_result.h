#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
[[nodiscard]] model::TunedDispatch toResult(const tune::TunableDispatch& tunable);
[[nodiscard]] model::TunedDispatch toResult(const tune::TunedDispatch& dispatch);

/// Returns the stored form of the proof, which must exist.
[[nodiscard]] model::TunedProof toTunedProof(const tune::TuneResult& tuned);

/// Sets the members that only models have.
void addModel(const TunedProgram& tuned, model::TunedProgram& program);

/// Returns the winners, for later runs with similar problems.
[[nodiscard]] std::vector<model::Precedent> collectPrecedents(const TunedProgram& tuned);

}  // namespace hone::app
