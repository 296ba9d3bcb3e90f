#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/tensor_type.h"

namespace hone::model {

/// result[b,m,n] = sum over k of lhs[b,m,k] * rhs[b,k,n]; batch 0 means no batch dimension.
struct Matmul {
  std::int64_t batch = 0;
  std::int64_t m = 0, n = 0, k = 0;
  bool transposeLhs = false;  ///< lhs is stored as [k,m]
  bool transposeRhs = false;  ///< rhs is stored as [n,k]
  ElementType lhs = ElementType::f32;
  ElementType rhs = ElementType::f32;
  ElementType result = ElementType::f32;

  bool operator==(const Matmul&) const = default;
};

enum class ConvDirection : std::uint8_t { forward, backwardData, weightBackward };
enum class ConvLayout : std::uint8_t { nhwc, nchw };

/// A 2-D convolution in the words of MIOpen: image n,c,h,w; k filters of y by x; the sizes are
/// those of the forward convolution whatever the direction.
struct Conv {
  ConvDirection direction = ConvDirection::forward;
  ConvLayout layout = ConvLayout::nhwc;
  std::int64_t n = 1, c = 1, h = 1, w = 1, k = 1, y = 1, x = 1;
  std::int64_t strideH = 1, strideW = 1;
  std::int64_t padH = 0, padW = 0;
  std::int64_t dilationH = 1, dilationW = 1;
  std::int64_t groups = 1;
  ElementType input = ElementType::f32;  ///< of both operands
  ElementType result = ElementType::f32;

  [[nodiscard]] std::int64_t outH() const;
  [[nodiscard]] std::int64_t outW() const;
  bool operator==(const Conv&) const = default;
};

/// An operation with its shapes, types and layout.
using Problem = std::variant<Matmul, Conv>;

/// Why this cannot be a problem (a zero size, groups that do not divide, an empty output), or ok.
[[nodiscard]] Result<void> check(const Problem& problem);

/// A name that says all: "matmul_512x768x1024_f32", "conv_fwd_nhwc_…". Equal for equal problems
/// only.
[[nodiscard]] std::string nameOf(const Problem& problem);
/// The types of the operands in the order of the function's arguments, and of the result.
[[nodiscard]] std::vector<TensorType> operandsOf(const Problem& problem);
[[nodiscard]] TensorType resultOf(const Problem& problem);
/// How many products are summed into one element of the result.
[[nodiscard]] std::int64_t reductionLength(const Problem& problem);
[[nodiscard]] double flopsOf(const Problem& problem);
[[nodiscard]] double bytesOf(const Problem& problem);

[[nodiscard]] nlohmann::json toJson(const Problem& problem);
[[nodiscard]] Result<Problem> problemFrom(const nlohmann::json& json);

}  // namespace hone::model
