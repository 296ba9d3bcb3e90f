#pragma once

#include <array>

#include "iree/mlir/mlir_body.h"
#include "tune/layers/layer_form.h"
#include "tune/layers/layer_ways.h"

namespace hone::tune {

/// The arguments of writeInPanels().
struct PanelConvolution {
  const LayerForm& form;
  const Window& window;
  std::array<iree::Value, 2> operands;  ///< image, channels last; filter, as written
  model::TensorType result;             ///< channels last
};

/// Writes a convolution as matmuls with weights in panels, for a way with a register tile.
[[nodiscard]] iree::Value writeInPanels(iree::Body& body, PanelConvolution convolution,
                                        const Way& way);

}  // namespace hone::tune
