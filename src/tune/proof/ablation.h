#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/experiment.h"
#include "tune/proof/recipe.h"

namespace hone::tune {

/// An ingredient to test separately, or a group tested together.
struct Ablation {
  Ingredient what;
  std::vector<std::size_t> members;  ///< indices of ingredients
};

/// Returns one ablation for each ingredient with a large expected gain, and one for all smaller
/// ones.
[[nodiscard]] std::vector<Ablation> ablationsFor(const Recipe& recipe,
                                                 std::span<const std::size_t> kept);

/// Returns `all` without the members of the ablation.
[[nodiscard]] std::vector<std::size_t> without(std::vector<std::size_t> all,
                                               const Ablation& ablation);

/// Returns true if the program is better with the ingredient. `with` and `missing` are the times
/// with and without it, in the same rounds.
///
/// If there is no significant difference, decides against the ingredient only if its expected gain
/// should have been visible. Too few or too noisy rounds do not count against it.
[[nodiscard]] bool helps(const Ingredient& ingredient, const engine::Finding& with,
                         const engine::Finding& missing, const stats::CompareOptions& options);

/// Explains why an attempt brings no gain: "compile_failed: …", "0.81x as fast …".
[[nodiscard]] std::string explainNoGain(const engine::Finding& finding);

}  // namespace hone::tune
