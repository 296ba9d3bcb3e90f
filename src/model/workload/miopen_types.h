#pragma once

#include <span>
#include <string_view>

#include "model/problem/element_type.h"

namespace hone::model {

/// Element types selected by the suffix of a command: convfp16 reads f16. The result of 16-bit
/// floats is f32: IREE accumulates in f32 for BOO, and 16-bit sums neither compile on all targets
/// nor verify.
struct CommandTypes {
  std::string_view suffix;  ///< "", "fp16", "bfp16", "int8"
  ElementType input = ElementType::f32;
  ElementType result = ElementType::f32;
};

/// Returns the types of all commands, f32 first.
[[nodiscard]] std::span<const CommandTypes> commandTypes();
/// Returns the types for these operands; those of f32 if no command supports them.
[[nodiscard]] const CommandTypes& findCommandTypes(ElementType input);

}  // namespace hone::model
