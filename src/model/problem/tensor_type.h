#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/element_type.h"

namespace hone::model {

/// A static shape with its element type, in the notation of IREE's tools: "512x1024xf32"; "f32" is
/// a scalar.
struct TensorType {
  std::vector<std::int64_t> shape;
  ElementType element = ElementType::f32;

  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::string text() const;
  /// Returns true if the numbers of elements and bytes fit in 63 bits; otherwise `count` and
  /// `bytes` are undefined.
  [[nodiscard]] bool countable() const;
  bool operator==(const TensorType&) const = default;
};

/// Parses "512x1024xf32". Returns a user error that names a dynamic or unknown part, or if the size
/// overflows.
[[nodiscard]] Result<TensorType> tensorTypeFrom(std::string_view text);

/// Returns "4x?xf32" for MLIR's "tensor<4x?xf32>"; "" if `text` is not a tensor.
[[nodiscard]] std::string_view insideTensor(std::string_view text);
/// Parses a static MLIR tensor type such as "tensor<4x4xf32>"; anything else is a user error.
[[nodiscard]] Result<TensorType> tensorTypeFromMlir(std::string_view text);

}  // namespace hone::model
