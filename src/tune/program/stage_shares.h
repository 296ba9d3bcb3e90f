#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "tune/layers/layer_rewrites.h"

namespace hone::tune {

/// Times of a program; 0 if unknown.
struct ProgramCosts {
  std::chrono::milliseconds call{0};           ///< one call of the default
  std::chrono::milliseconds compile{0};        ///< compiling the default
  std::chrono::milliseconds compileLayers{0};  ///< compiling the program with ways of its layers
};

/// Estimates the time to compile a program whose layers are computed in these ways from the time of
/// the default.
[[nodiscard]] std::chrono::milliseconds estimateCompile(const ProgramCosts& costs,
                                                        std::span<const LayerChoice> choices);

/// Returns the time of a final between the default and one or two flag sets.
[[nodiscard]] std::chrono::milliseconds finalTime(const ProgramCosts& costs);

/// Returns the part of a comparison's time during which candidates may be compiled and screened.
[[nodiscard]] double screeningShare(const ProgramCosts& costs, std::chrono::milliseconds time);

/// Division of the time budget of a program with layers, as fractions of the budget.
struct LayerShares {
  double measuring;  ///< layers are measured until then
  double comparing;  ///< their ways are compiled and compared on the whole program until then
};

/// Returns the fraction of the budget at which the proof of the whole program begins. `recompiles`:
/// the proof also compiles the program with tuned dispatches.
[[nodiscard]] double proofShare(const ProgramCosts& costs, std::chrono::milliseconds budget,
                                bool recompiles);

struct BudgetUse {
  std::chrono::milliseconds budget;
  std::chrono::milliseconds used;
};

/// Returns the time to compile ways of all layers and to compare them with the default.
[[nodiscard]] std::chrono::milliseconds comparisonTime(const ProgramCosts& costs);

/// Divides the budget so that the ways of all layers can be compiled again after the layers were
/// measured. Returns nullopt if no time is left to measure them.
[[nodiscard]] std::optional<LayerShares> layerShares(const ProgramCosts& costs,
                                                     const BudgetUse& use);

/// Returns the budget that suffices to try and to prove ways of all layers.
[[nodiscard]] std::chrono::minutes budgetFor(const ProgramCosts& costs);

}  // namespace hone::tune
