#pragma once

#include <span>
#include <string_view>

#include "model/problem/element_type.h"

namespace hone::model {

/// What the end of a command's name says: convfp16 reads f16. The result of 16-bit floats is f32:
/// IREE sums in f32 for BOO, and a sum in 16 bits neither compiles everywhere nor verifies.
struct CommandTypes {
  std::string_view suffix;  ///< "", "fp16", "bfp16", "int8"
  ElementType input = ElementType::f32;
  ElementType result = ElementType::f32;
};

/// Returns all that commands exist for, f32 first.
[[nodiscard]] std::span<const CommandTypes> commandTypes();
/// Returns the types for these operands; those of f32 if no command has them.
[[nodiscard]] const CommandTypes& commandTypesOf(ElementType input);

}  // namespace hone::model
