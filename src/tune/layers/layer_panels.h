#pragma once

#include "iree/mlir/mlir_body.h"
#include "tune/layers/register_tile.h"

namespace hone::tune {

// Matmuls of an image with weights in panels. A panel is a contiguous block of weights, as many
// columns wide as a register tile. The functions drop dimensions of size one, because the compiler
// discards the configuration of operations with loops of one iteration.

/// Order of a filter's dimensions in panels.
struct PanelOrder {
  std::size_t filters = 0;  ///< the dimension that is split into panels and columns
  /// Permutation of the dimensions after the split: the panels are dimension `filters`, their
  /// columns `filters + 1`, and each later dimension has moved up by one.
  std::vector<std::size_t> order;
};

/// Returns the filter in panels of `columns` columns; the last panel is padded with zeros. A
/// compute barrier makes the compiler reorder the weights, at compile time if they are constant.
/// Without it, the innermost loop would read the original order.
[[nodiscard]] iree::Value toPanels(iree::Body& body, const iree::Value& filter,
                                   const PanelOrder& order, std::int64_t columns);

/// One product of an image, channels last, with panels: (groups,) (panels,) sum, columns.
struct PanelProduct {
  iree::Value image;
  bool grouped = false;  ///< the image has a dimension of groups in front of the channels
  iree::Value panels;
  RegisterTile tile;
  bool isRoot = true;  ///< the last product of its dispatch
};

/// Returns zeros to sum up products of images with these pixels: the type of the result, channels
/// last; with groups, these are the dimension in front of the channels. Sums of f16 and bf16 are
/// f32, as the CPU computes them.
[[nodiscard]] iree::Value panelSum(iree::Body& body, const model::TensorType& result,
                                   std::int64_t columns);
/// Returns `sum` plus the product, with the lowering configuration for its tile.
[[nodiscard]] iree::Value addPanelProduct(iree::Body& body, const PanelProduct& product,
                                          const iree::Value& sum);
/// Converts the accumulator to the result's type and shape.
[[nodiscard]] iree::Value fromPanelSum(iree::Body& body, const iree::Value& sum,
                                       const model::TensorType& result);

}  // namespace hone::tune
