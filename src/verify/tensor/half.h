#pragma once

#include <bit>
#include <cstdint>

namespace hone::verify {

// Conversions between 16-bit floats and float. All operations are exact or correctly rounded, so
// that every compiler and processor gives the same bits. Conversions to float are exact;
// conversions to 16 bits round to nearest even and map NaN to a quiet NaN.

[[nodiscard]] inline float fromHalf(std::uint16_t half) {
  constexpr std::uint32_t kInfinity = 0x7f800000U;
  // The fields of the half, moved to those of a float, are 2^112 too small. The product is exact,
  // also for denormals.
  const float scaled = std::bit_cast<float>((half & 0x7fffU) << 13U) * 0x1p112F;
  const std::uint32_t special = scaled >= 65536.0F ? kInfinity : 0U;
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

[[nodiscard]] inline std::uint16_t toHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return sign | 0x7e00U;
  }
  if (magnitude >= 0x477ff000U) {  // 65520, the first value that rounds to infinity
    return sign | 0x7c00U;
  }
  if (magnitude < 0x38800000U) {
    // Denormal half: adding 0.5 leaves the rounded bits at the low end of the float.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
  }
  const std::uint32_t odd = (magnitude >> 13U) & 1U;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13U));
}

[[nodiscard]] inline float fromBfloat(std::uint16_t bfloat) {
  return std::bit_cast<float>(std::uint32_t{bfloat} << 16U);
}

[[nodiscard]] inline std::uint16_t toBfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

}  // namespace hone::verify
