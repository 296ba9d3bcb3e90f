#pragma once

#include <array>

#include "iree/mlir/mlir_body.h"
#include "tune/layers/layer_ways.h"

namespace hone::tune {

/// Writes a convolution with a way of waysFor(). The operands are the image, channels last, and the
/// filter as written; `result` has the channels last.
[[nodiscard]] iree::Value writeConvolution(iree::Body& body, const model::Layer& layer,
                                           const Way& way,
                                           const std::array<iree::Value, 2>& operands,
                                           const model::TensorType& result);

}  // namespace hone::tune
