#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::model {

enum class ElementType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, i1 };

/// Returns the name used by MLIR and IREE's tools: "f32", "i8".
[[nodiscard]] std::string_view nameOf(ElementType type);
[[nodiscard]] std::optional<ElementType> elementTypeFrom(std::string_view name);
[[nodiscard]] std::size_t byteWidth(ElementType type);
[[nodiscard]] bool isFloat(ElementType type);

}  // namespace hone::model
