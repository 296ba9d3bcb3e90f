#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone::knobs {

/// What the name of a matrix instruction says: "MFMA_F32_16x16x16_F16".
struct MatrixInstruction {
  std::string sums;  ///< the type that it sums up in, in small letters: "f32"
  std::int64_t m = 0, n = 0, k = 0;
};

/// Reads the name of an instruction, also within its attribute; nothing for other forms.
[[nodiscard]] std::optional<MatrixInstruction> matrixInstructionFrom(std::string_view name);

}  // namespace hone::knobs
