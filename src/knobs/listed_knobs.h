#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "knobs/knob_model.h"

namespace hone::knobs {

using Sizes = std::vector<std::int64_t>;

/// One configuration as numbers: its options, then the tile sizes of each level, one a loop.
struct Tiling {
  Sizes options;
  std::vector<Sizes> levels;  ///< 0: the loop is not tiled at this level

  auto operator<=>(const Tiling&) const = default;
};

/// How a target calls the numbers of a tiling, and what it makes of them.
struct TilingForm {
  std::vector<std::string> options;
  std::vector<std::string> levels;
  std::function<std::string(const Tiling&)> compilationInfo;
};

/// What was listed for a dispatch.
struct Listing {
  std::vector<Tiling> tilings;
  std::optional<Tiling> byDefault;  ///< the compiler's own; is in the space, too, and begins
  std::function<double(const Tiling&)> guess;
  std::size_t most = 20'000;  ///< of more tilings the best by the guess are kept
};

/// The model of the listed tilings: its knobs are the numbers in which they differ, named
/// "distribution.d0" for the first loop.
[[nodiscard]] KnobModel listedModel(TilingForm form, Listing listing);

}  // namespace hone::knobs
