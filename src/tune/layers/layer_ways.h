#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "iree/mlir/mlir_body.h"
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

/// Returns true for convolutions that multiply and add over channels: those with several ways.
[[nodiscard]] bool isConvolution(const model::Layer& layer);
/// Returns true for matmuls, which are computed as they are or packed.
[[nodiscard]] bool isMatmul(const model::Layer& layer);

/// Returns the multiply-adds of all calls of the layer.
[[nodiscard]] double countWork(const model::Layer& layer);

/// The layer without its initial value, as a function of images with the channels last. The image
/// of a matmul is its left operand.
struct LayerCore {
  std::vector<model::TensorType> images;   ///< channels last
  std::optional<model::TensorType> other;  ///< the filter, or the window of a pooling; as written
  model::TensorType result;                ///< channels last
};
/// Returns the types of a layer's core. The layer must have ways.
[[nodiscard]] LayerCore describeCore(const model::Layer& layer);
/// Writes the core of a layer with a way of waysFor().
[[nodiscard]] iree::Value writeCore(iree::Body& body, const model::Layer& layer, const Way& way,
                                    const std::vector<iree::Value>& images,
                                    const std::optional<iree::Value>& other);

/// Writes a layer as the program has it: brings the images to channels last, writes the core, adds
/// the initial value, and brings the result back. Packs change the layouts: the compiler moves them
/// through elementwise operations until they meet and cancel out.
[[nodiscard]] iree::Value writeLayer(iree::Body& body, const model::Layer& layer, const Way& way,
                                     const std::vector<iree::Value>& operands);

}  // namespace hone::tune
