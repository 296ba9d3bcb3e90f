#pragma once

#include <cstddef>
#include <cstdint>

namespace hone::knobs {

/// Resources of a CPU that tiles should fit in. Soft limits: they bound what is worth trying.
struct CpuLimits {
  std::int64_t vectorBytes = 16;
  std::int64_t registers = 16;  ///< vector registers
  std::int64_t l1Bytes = 32 << 10;
  std::int64_t l2Bytes = 512 << 10;
  std::int64_t cores = 1;

  /// Returns the size in bytes from which the compiler rejects vectors. It also rejects
  /// contractions with that many elements.
  [[nodiscard]] std::int64_t largestVectorBytes() const { return 512 * vectorBytes; }
};

/// Reads the limits of this machine's CPU; unknown ones keep the defaults above.
[[nodiscard]] CpuLimits detectCpuLimits();

/// Estimated cost of starting a workgroup.
inline constexpr double kWorkgroupCycles = 600;

}  // namespace hone::knobs
