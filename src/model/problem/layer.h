#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/tensor_type.h"

namespace hone::model {

/// An operation of a program that can be computed in several ways or layouts: a convolution, a
/// pooling, a concatenation, a slice or a matmul, as the program writes it. All shapes are static.
struct Layer {
  std::string op;                    ///< "linalg.conv_2d_nchw_fchw"
  std::vector<TensorType> operands;  ///< the inputs, then the initial value if there is one
  TensorType result;
  /// Attributes that distinguish the operation, as MLIR text: "strides" -> "dense<1> : …".
  std::map<std::string, std::string> attributes;
  std::int64_t calls = 1;  ///< equal operations in the program
  /// The second operand of all of them is the same for every call of the program, so that it can be
  /// reordered at compile time.
  bool fixedWeights = true;

  bool operator==(const Layer&) const = default;

  /// Returns the integers of an attribute: {2, 2} for "dense<2> : tensor<2xi64>", {0, 4} for
  /// "array<i64: 0, 4>"; ones if there is no such attribute.
  [[nodiscard]] std::vector<std::int64_t> sizes(const std::string& attribute,
                                                std::size_t count) const;
  /// Returns a short text that is equal only for equal operations; ignores `calls`
  /// and `fixedWeights`.
  [[nodiscard]] std::string key() const;
  /// Returns a text for tables: "conv_2d_nchw_fchw 1x64x56x56 by 64x64x3x3, stride 2".
  [[nodiscard]] std::string describe() const;
};

[[nodiscard]] nlohmann::json toJson(const Layer& layer);
[[nodiscard]] Result<Layer> layerFrom(const nlohmann::json& json);

}  // namespace hone::model
