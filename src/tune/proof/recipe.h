#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/result/config.h"

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

}  // namespace hone::tune
