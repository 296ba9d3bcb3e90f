#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone::knobs {

/// Fields of a matrix instruction's name, such as "MFMA_F32_16x16x16_F16".
struct MatrixInstruction {
  std::string sums;  ///< accumulator type in lower case: "f32"
  std::int64_t m = 0, n = 0, k = 0;
};

/// Parses the name of an instruction, also inside its attribute; nothing for other forms.
[[nodiscard]] std::optional<MatrixInstruction> matrixInstructionFrom(std::string_view name);

}  // namespace hone::knobs
