#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone::iree {

/// A former pipeline: padded the loops to multiples of their tiles, then worked like
/// VectorDistribute.
inline constexpr std::string_view kPaddingPipeline = "LLVMGPUPadAndVectorDistribute";

/// Returns the current form of an old pipeline name; nothing if it does not exist any more.
[[nodiscard]] std::optional<std::string> currentPipeline(std::string_view name);

/// Returns "MFMA_F32_16x16x16_F16" for "MFMA_F16_16x16x16_F32": until August 2024 the type of the
/// operands came first.
[[nodiscard]] std::string currentIntrinsic(const std::string& name);

}  // namespace hone::iree
