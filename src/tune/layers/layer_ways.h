#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem/layer.h"
#include "tune/layers/register_tile.h"

namespace hone::tune {

/// Operations that a layer is computed with.
enum class Method : std::uint8_t {
  direct,        ///< the operation itself, channels last
  matmul,        ///< one matmul on copies of the windows (im2col); no copies for 1x1 filters
  packedMatmul,  ///< like matmul, on operands packed into tiles
  perRow,        ///< a sum of matmuls, one per row of the filter, on copies of the windows' rows
  perPosition,   ///< a sum of matmuls, one per position of the filter; copies nothing
  atOnce,        ///< like perPosition, in one dispatch; needs a tile
};

/// A way to compute a layer. All ways of a layer have the same results, except for rounding.
struct Way {
  Method method = Method::direct;
  /// The tile of results that the innermost loops keep in registers. The weights are reordered into
  /// panels as wide as the tile. nullopt: the compiler chooses.
  std::optional<RegisterTile> tile = std::nullopt;

  bool operator==(const Way&) const = default;

  // NOLINTBEGIN(readability-identifier-naming): named like the methods
  static const Way direct;
  static const Way matmul;
  static const Way packedMatmul;
  static const Way perRow;
  static const Way perPosition;
};
inline constexpr Way Way::direct{Method::direct};
inline constexpr Way Way::matmul{Method::matmul};
inline constexpr Way Way::packedMatmul{Method::packedMatmul};
inline constexpr Way Way::perRow{Method::perRow};
inline constexpr Way Way::perPosition{Method::perPosition};
// NOLINTEND(readability-identifier-naming)

/// Returns "per position", or with a tile "per position, 6x16".
[[nodiscard]] std::string nameOf(const Way& way);
[[nodiscard]] std::optional<Way> wayFrom(std::string_view name);

/// Returns the ways to compute a layer, the compiler's default first; none if hone cannot rewrite
/// the layer.
[[nodiscard]] std::vector<Way> waysFor(const model::Layer& layer);

/// Returns the multiply-adds of all calls of the layer.
[[nodiscard]] double countWork(const model::Layer& layer);

}  // namespace hone::tune
