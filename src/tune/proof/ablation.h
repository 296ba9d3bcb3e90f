#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/experiment.h"
#include "tune/proof/recipe.h"

namespace hone::tune {

/// An ingredient whose own part is tried, or several that are tried as one.
struct Ablation {
  Ingredient what;
  std::vector<std::size_t> members;  ///< ingredients
};

/// Each of those that should give the most, and all smaller ones together.
[[nodiscard]] std::vector<Ablation> ablationsFor(const Recipe& recipe,
                                                 std::span<const std::size_t> kept);

/// `all` without those of the ablation.
[[nodiscard]] std::vector<std::size_t> without(std::vector<std::size_t> all,
                                               const Ablation& ablation);

/// Whether the program is better with an ingredient: `with` and `missing` are its times with it and
/// without, in the same rounds. Where no difference shows, one that should have shown speaks
/// against it; rounds that are too few or too noisy to tell do not.
[[nodiscard]] bool helps(const Ingredient& ingredient, const engine::Finding& with,
                         const engine::Finding& missing, const stats::CompareOptions& options);

/// Why something that was tried is no gain, in a few words: "compile_failed: …", "0.81x as fast …".
[[nodiscard]] std::string whyNoGain(const engine::Finding& finding);

}  // namespace hone::tune
