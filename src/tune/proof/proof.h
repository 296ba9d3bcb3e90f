#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/trial_context.h"
#include "tune/program/whole_program.h"
#include "tune/proof/recipe.h"

namespace hone::tune {

/// An ingredient that the program is better without.
struct RemovedIngredient {
  std::size_t ingredient = 0;
  std::string why;
  bool operator==(const RemovedIngredient&) const = default;
};

/// What is left of a recipe when all that does not help is taken out, and what it gives.
struct Proof {
  std::size_t recipe = 0;
  std::vector<std::size_t> kept;  ///< ingredients
  std::vector<RemovedIngredient> removed;
  model::Config config;
  stats::Comparison comparison;
  double defaultNs = 0;
  double tunedNs = 0;
};

struct ProofOptions {
  std::int64_t rounds = 20;
  engine::Budget
      budget;  ///< of time, for all together: beyond it only the rounds that a verdict needs
};

struct Proving {
  std::optional<Proof> proof;  ///< nothing: no recipe makes the program surely quicker
  /// What was tried and is no gain, a sentence each with the reason.
  std::vector<std::string> lost;
};

/// Tries the recipes on the whole program, side by side with the program as it is. Of the best each
/// ingredient is left out in turn; of one that is no better than without its ingredients each is
/// tried alone, so that one that fails or slows the program does not cost the others.
[[nodiscard]] Result<Proving> prove(const engine::TrialContext& bench, const WholeProgram& whole,
                                    std::span<const Recipe> recipes, const ProofOptions& options);

}  // namespace hone::tune
