#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

/// The parts of miopen.h; others have no use for them.
namespace hone::model {

/// What the end of a command's name says: convfp16 reads f16. The result of 16-bit floats is f32:
/// IREE sums in f32 for BOO, and a sum in 16 bits neither compiles everywhere nor verifies.
struct CommandTypes {
  std::string_view suffix;  ///< "", "fp16", "bfp16", "int8"
  ElementType input = ElementType::f32;
  ElementType result = ElementType::f32;
};

/// The row for these operands, that of f32 where no command has them.
[[nodiscard]] const CommandTypes& commandTypesOf(ElementType input);

/// The problems that the options ask for, checked: several where -F names several directions, in
/// the order forward, backward data, weight backward.
[[nodiscard]] Result<std::vector<Problem>> convProblems(const CommandTypes& types,
                                                        std::span<const std::string_view> options);
[[nodiscard]] Result<std::vector<Problem>> gemmProblems(const CommandTypes& types,
                                                        std::span<const std::string_view> options);

[[nodiscard]] std::string convCommand(const Conv& conv);
[[nodiscard]] std::string gemmCommand(const Matmul& matmul);

}  // namespace hone::model
