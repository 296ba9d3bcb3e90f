#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/operation/epilogue.h"
#include "model/problem/tensor_type.h"

namespace hone::model {

enum class ConvDirection : std::uint8_t { forward, backwardData, weightBackward };
/// Channels last or channels first, named after the 2-D layouts.
enum class ConvLayout : std::uint8_t { nhwc, nchw };

/// One spatial dimension of a convolution.
struct ConvAxis {
  std::int64_t image = 1;
  std::int64_t filter = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
  std::int64_t dilation = 1;

  /// Returns the output size; 0 if the filter does not fit.
  [[nodiscard]] std::int64_t out() const;
  bool operator==(const ConvAxis&) const = default;
};

/// A convolution in MIOpen's terms: image n,c,(d,)h,w and k filters of (z by) y by x. The sizes are
/// those of the forward convolution for every direction. A 1-D convolution has w and x only, a 3-D
/// one also d and z. Unused sizes are 1 and unused paddings 0.
struct Conv {
  ConvDirection direction = ConvDirection::forward;
  ConvLayout layout = ConvLayout::nhwc;
  std::int64_t n = 1, c = 1, h = 1, w = 1, k = 1, y = 1, x = 1;
  std::int64_t strideH = 1, strideW = 1;
  std::int64_t padH = 0, padW = 0;
  std::int64_t dilationH = 1, dilationW = 1;
  std::int64_t groups = 1;
  ElementType input = ElementType::f32;  ///< type of both operands
  ElementType result = ElementType::f32;
  std::int64_t spatial = 2;  ///< number of spatial dimensions: 1, 2 or 3
  std::int64_t d = 1, z = 1, strideD = 1, padD = 0, dilationD = 1;
  /// Forward direction only; the bias has one value per filter.
  Epilogue epilogue{};

  [[nodiscard]] std::int64_t outD() const;
  [[nodiscard]] std::int64_t outH() const;
  [[nodiscard]] std::int64_t outW() const;
  /// Returns its spatial dimensions, outermost first: d, h, w.
  [[nodiscard]] std::vector<ConvAxis> axes() const;
  /// Returns the shape of a tensor with these sizes, in the layout's order.
  [[nodiscard]] std::vector<std::int64_t> inLayout(std::int64_t batch, std::int64_t channels,
                                                   const std::vector<std::int64_t>& sizes) const;
  bool operator==(const Conv&) const = default;
};

/// Returns the layout's name for the number of spatial dimensions: "nhwc", "ncw", "ndhwc".
[[nodiscard]] std::string_view layoutName(ConvLayout layout, std::int64_t spatial);
[[nodiscard]] std::string_view layoutName(const Conv& conv);
/// Returns "fwd", "bwd" or "wrw".
[[nodiscard]] std::string_view nameOf(ConvDirection direction);

// See problem.h.
[[nodiscard]] Result<void> checkSizes(const Conv& conv);
[[nodiscard]] std::string nameOf(const Conv& conv);
[[nodiscard]] std::vector<TensorType> operandTypes(const Conv& conv);
[[nodiscard]] TensorType resultType(const Conv& conv);
[[nodiscard]] std::int64_t reductionLength(const Conv& conv);
[[nodiscard]] double countFlops(const Conv& conv);
[[nodiscard]] nlohmann::json toJson(const Conv& conv);
[[nodiscard]] Result<Conv> convFrom(const nlohmann::json& json);

}  // namespace hone::model
