#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "iree/mlir/mlir_body.h"
#include "tune/layers/layer_form.h"

namespace hone::tune {

// Windows of convolutions and poolings on images with the channels last, as MLIR.

/// Returns the attributes of a named operation: dilations and strides.
[[nodiscard]] std::string windowAttributes(const Window& window);

/// Returns the filter with its dimensions in the order (groups,) y, x, c, f. The barrier keeps the
/// compiler from reading the original order in the innermost loop; it transposes constants at
/// compile time.
[[nodiscard]] iree::Value orderedFilter(iree::Body& body, const LayerForm& form,
                                        const iree::Value& filter);

/// Merges the dimension with its successor, several times.
[[nodiscard]] iree::Value collapseTimes(iree::Body& body, iree::Value value, std::size_t dim,
                                        int times);

/// Returns the pixels at a position of the window, one per result pixel.
[[nodiscard]] iree::Value seenFrom(iree::Body& body, const Window& window, const iree::Value& image,
                                   const model::TensorType& result,
                                   std::array<std::int64_t, 2> position);

/// Returns a copy of the windows' rows, one per pixel of the result and row of the image.
[[nodiscard]] iree::Value copyRows(iree::Body& body, const Window& window, const iree::Value& image,
                                   const model::TensorType& result);

/// Returns the window with its columns merged into one.
[[nodiscard]] Window mergeColumns(Window window);

/// Returns the windows as rows of a matrix. Copies them unless they are single pixels.
[[nodiscard]] iree::Value windowRows(iree::Body& body, const Window& window, iree::Value image,
                                     const model::TensorType& result);

/// Returns the rows of a matmul's result as an image.
[[nodiscard]] iree::Value fromRows(iree::Body& body, const iree::Value& rows,
                                   const model::TensorType& result);

}  // namespace hone::tune
