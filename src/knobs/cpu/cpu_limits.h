#pragma once

#include <cstddef>
#include <cstdint>

namespace hone::knobs {

/// What a CPU has for tiles to fit in. Soft limits: they say what is worth trying.
struct CpuLimits {
  std::int64_t vectorBytes = 16;
  std::int64_t registers = 16;  ///< for vectors
  std::int64_t l1Bytes = 32 << 10;
  std::int64_t l2Bytes = 512 << 10;
  std::int64_t cores = 1;

  /// The compiler refuses vectors, and contractions of so many elements, of this size and more.
  [[nodiscard]] std::int64_t largestVectorBytes() const { return 512 * vectorBytes; }
};

/// Those of the CPU that this runs on; what it does not tell has the values above.
[[nodiscard]] CpuLimits limitsOfThisCpu();

/// Cycles that starting a workgroup costs.
inline constexpr double kWorkgroupCycles = 600;

}  // namespace hone::knobs
