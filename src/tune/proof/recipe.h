#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/result/config.h"

namespace hone::tune {

/// A proven improvement of a dispatch, whose effect on the program is to be measured.
struct Ingredient {
  std::string name;
  double expectedGain = 0;  ///< expected saving, as a fraction of the program's time
};

/// Program-wide flags, with the ingredients found under them.
struct Recipe {
  std::string name;
  std::vector<Ingredient> ingredients;
  /// Returns the config with the flags and these ingredients (by index).
  std::function<Result<model::Config>(std::span<const std::size_t>)> buildConfig;
};

}  // namespace hone::tune
