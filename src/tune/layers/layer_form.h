#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/problem/layer.h"

namespace hone::tune {

enum class LayerKind : std::uint8_t { convolution, grouped, depthwise, pooling, concat, slice };

/// Dimension order of an operation.
struct LayerForm {
  std::string_view op;
  LayerKind kind;
  bool channelsFirst;
  std::size_t spatial;                ///< dimensions of an image without batch and channels
  std::array<std::size_t, 5> filter;  ///< the filter's dimensions: (groups,) y, x, c, f
};

/// Returns the form of a layer's operation; nullptr if hone cannot rewrite it.
[[nodiscard]] const LayerForm* findForm(const model::Layer& layer);

/// Returns true for convolutions that multiply and add over channels: those with several ways.
[[nodiscard]] bool isConvolution(const model::Layer& layer);
/// Returns true for matmuls, which are computed as they are or packed.
[[nodiscard]] bool isMatmul(const model::Layer& layer);

/// Returns the dimension of the right operand that is summed up; nothing if the operation is not a
/// plain matmul or a batch of one.
[[nodiscard]] std::optional<std::size_t> summedDim(const model::Layer& layer);

/// Returns the position at which a dimension of one spatial size is inserted into the filter.
[[nodiscard]] std::size_t filterRowDim(const LayerForm& form);
/// Inserts a dimension of size one.
[[nodiscard]] model::TensorType withUnit(model::TensorType type, std::size_t dim);
/// Returns the image with batch, channels and two spatial dimensions: one-dimensional images get a
/// row of height 1, and the groups are part of the channels.
[[nodiscard]] model::TensorType asPlane(const LayerForm& form, model::TensorType image);

/// The sizes of a window: of a filter or a pooling.
struct Window {
  std::array<std::int64_t, 2> size{1, 1};
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> dilation{1, 1};

  [[nodiscard]] std::int64_t positions() const { return size[0] * size[1]; }
  /// Returns true if each window is one pixel and every pixel is used.
  [[nodiscard]] bool isPixel() const {
    return positions() == 1 && stride == std::array<std::int64_t, 2>{1, 1};
  }
};

[[nodiscard]] Window findWindow(const model::Layer& layer, const LayerForm& form);

/// The layer without its initial value, as a function of images with the channels last. The image
/// of a matmul is its left operand.
struct LayerCore {
  std::vector<model::TensorType> images;   ///< channels last
  std::optional<model::TensorType> other;  ///< the filter, or the window of a pooling; as written
  model::TensorType result;                ///< channels last
};
/// Returns the types of a layer's core. The layer must have ways.
[[nodiscard]] LayerCore describeCore(const model::Layer& layer);

}  // namespace hone::tune
