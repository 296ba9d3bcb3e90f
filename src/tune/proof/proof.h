#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/trial_context.h"
#include "tune/program/whole_program.h"
#include "tune/proof/recipe.h"

namespace hone::tune {

/// An ingredient without which the program is better.
struct RemovedIngredient {
  std::size_t ingredient = 0;
  std::string why;
  bool operator==(const RemovedIngredient&) const = default;
};

/// A measured gain of the whole program.
struct ProgramGain {
  stats::Comparison comparison;
  double defaultNs = 0;
  double tunedNs = 0;
};

/// A recipe without the ingredients that do not help, and its measured gain.
struct Proof {
  std::size_t recipe = 0;
  std::vector<std::size_t> kept;  ///< indices of ingredients
  std::vector<RemovedIngredient> removed;
  model::Config config;
  ProgramGain gain;
  /// The gain if every call gets fresh memory, as in iree-benchmark-module; absent on devices where
  /// that makes no difference.
  std::optional<ProgramGain> freshMemoryGain;
};

struct ProofOptions {
  std::int64_t rounds = 20;
  engine::Budget
      budget;  ///< time budget of all experiments; after that, only the rounds needed for a verdict
};

struct ProofResult {
  std::optional<Proof> proof;  ///< nothing: no recipe is significantly faster
  /// Attempts without gain, one message with the reason per attempt.
  std::vector<std::string> lost;
  std::optional<engine::Finding> alternative;  ///< ONNX Runtime, for a model
};

/// Measures the recipes on the whole program, interleaved with the original. For the best recipe,
/// performs a leave-one-out ablation of its ingredients. For a recipe without gain, tests each
/// ingredient alone, so that a failing or slow one does not discard the others.
[[nodiscard]] Result<ProofResult> prove(const engine::TrialContext& bench,
                                        const WholeProgram& whole, std::span<const Recipe> recipes,
                                        const ProofOptions& options);

}  // namespace hone::tune
