#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trial/workbench.h"
#include "tune/whole_program.h"

namespace hone::tune {

/// Something that was found to make a dispatch quicker, to be shown to help the program.
struct Ingredient {
  std::string name;
  double expectedGain = 0;  ///< what it should save of the program's time, as a share of it
};

/// Program-wide flags with the ingredients that were found under them.
struct Recipe {
  std::string name;
  std::vector<Ingredient> ingredients;
  /// How the compiler is told of the flags and these ingredients (numbers of them).
  std::function<Result<model::Config>(std::span<const std::size_t>)> configOf;
};

/// What is left of a recipe when all that does not help is taken out, and what it gives.
struct Proof {
  std::size_t recipe = 0;
  std::vector<std::size_t> kept;      ///< ingredients
  std::vector<std::size_t> takenOut;  ///< those that did not help the program
  model::Config config;
  stats::Comparison comparison;
  double defaultNs = 0;
  double tunedNs = 0;
};

struct ProofOptions {
  std::int64_t rounds = 20;
  trial::Budget
      budget;  ///< of time, for all together: beyond it only the rounds that a verdict needs
};

/// Whether the program is better with an ingredient: `with` and `missing` are its times with it and
/// without, in the same rounds. Where no difference shows, one that should have shown speaks
/// against it; rounds that are too few or too noisy to tell do not.
[[nodiscard]] bool helps(const Ingredient& ingredient, const trial::Finding& with,
                         const trial::Finding& missing, const stats::CompareOptions& options);

/// Tries the recipes on the whole program, side by side with the program as it is. Nothing: none
/// of them makes it surely quicker.
[[nodiscard]] Result<std::optional<Proof>> prove(const trial::Workbench& bench,
                                                 const WholeProgram& whole,
                                                 std::span<const Recipe> recipes,
                                                 const ProofOptions& options);

}  // namespace hone::tune
