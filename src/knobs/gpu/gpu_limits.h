#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hone::knobs {

/// Limits of a GPU family that decide which configurations are worth listing.
struct GpuLimits {
  std::vector<std::int64_t> subgroupSizes;             ///< the compiler's preferred one first
  std::int64_t maxThreads = 1024;                      ///< per workgroup
  std::int64_t sharedBytes = std::int64_t{64} * 1024;  ///< per workgroup
};

/// Returns the limits of a target such as "rocm:gfx942" or "cuda:sm_80".
[[nodiscard]] GpuLimits gpuLimits(std::string_view target);

}  // namespace hone::knobs
