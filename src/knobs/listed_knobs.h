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

/// One configuration as numbers: its options, then the tile sizes of each level, one per loop.
struct Tiling {
  Sizes options;
  std::vector<Sizes> levels;  ///< 0: the loop is not tiled at this level

  auto operator<=>(const Tiling&) const = default;
};

/// Names of a tiling's numbers on a target, and the conversion to an attribute.
struct TilingForm {
  std::vector<std::string> options;
  std::vector<std::string> levels;
  std::function<std::string(const Tiling&)> compilationInfo;
  /// Null if only the root is configured.
  std::function<std::vector<CompanionConfig>(const Tiling&)> companions = nullptr;
};

/// Tilings listed for a dispatch.
struct Listing {
  std::vector<Tiling> tilings;
  std::optional<Tiling> byDefault;  ///< the compiler's default; part of the space and tried first
  std::function<double(const Tiling&)> guess;
  std::size_t maxTilings = 20'000;  ///< if there are more, the cheapest by `guess` are kept
};

/// Builds the model of the listed tilings. Its knobs are the numbers in which they differ, named
/// "distribution.d0" for the first loop.
[[nodiscard]] KnobModel listedModel(TilingForm form, Listing listing);

}  // namespace hone::knobs
