#pragma once

#include <optional>
#include <vector>

#include "iree/mlir/mlir_body.h"
#include "tune/layers/layer_ways.h"

namespace hone::tune {

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
