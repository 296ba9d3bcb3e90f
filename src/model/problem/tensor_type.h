#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/element_type.h"

namespace hone::model {

/// A static shape with its element type, as IREE's tools write it: "512x1024xf32"; "f32" is a
/// scalar.
struct TensorType {
  std::vector<std::int64_t> shape;
  ElementType element = ElementType::f32;

  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::string text() const;
  /// Whether elements and bytes can be counted in 63 bits at all; `count` promises nothing else.
  [[nodiscard]] bool countable() const;
  bool operator==(const TensorType&) const = default;
};

/// Reads "512x1024xf32"; a dynamic or unknown part is a user error that names it, and so is a size
/// that cannot be counted.
[[nodiscard]] Result<TensorType> tensorTypeFrom(std::string_view text);

/// "4x?xf32" of MLIR's "tensor<4x?xf32>"; "" for what is not a tensor.
[[nodiscard]] std::string_view insideTensor(std::string_view text);
/// The static tensor that MLIR writes as "tensor<4x4xf32>"; anything else is a user error.
[[nodiscard]] Result<TensorType> tensorTypeFromMlir(std::string_view text);

}  // namespace hone::model
