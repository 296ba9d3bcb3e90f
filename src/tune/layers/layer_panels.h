#pragma once

#include "iree/mlir/mlir_body.h"
#include "tune/layers/register_tile.h"

namespace hone::tune {

// Matmuls of an image with weights in panels: blocks of as many columns as a register tile has,
// each stored contiguously. The compiler keeps configurations only of operations without loops of
// one iteration, so that there are none.

/// Returns the filter with its dimensions permuted to `order` and `filters`, one of its dimensions,
/// split into panels; the last one is padded with zeros. In `order`, the panels are dimension
/// `filters` and their columns dimension `filters + 1`; dimensions behind it count one more. The
/// barrier keeps the compiler from reading the original order in the innermost loop; it reorders
/// constants at compile time.
struct PanelOrder {
  std::size_t filters = 0;
  std::vector<std::size_t> order;
};
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
[[nodiscard]] iree::Value addPanelProduct(iree::Body& body, const PanelProduct& product,
                                          const iree::Value& sum);
/// Converts a sum to the result's type and shape.
[[nodiscard]] iree::Value fromPanelSum(iree::Body& body, const iree::Value& sum,
                                       const model::TensorType& result);

}  // namespace hone::tune
