#include "knobs/gpu/gpu_limits.h"

namespace hone::knobs {

GpuLimits gpuLimits(std::string_view target) {
  GpuLimits limits;
  if (target.starts_with("cuda")) {
    limits.subgroupSizes = {32};
    limits.sharedBytes =
        std::int64_t{48} * 1024;  // available on every generation without opting in
    return limits;
  }
  // RDNA (gfx10 and later) runs waves of 32 or 64, GCN and CDNA (gfx9) only of 64.
  const bool hasSmallWaves = target.contains(":gfx1");
  limits.subgroupSizes =
      hasSmallWaves ? std::vector<std::int64_t>{32, 64} : std::vector<std::int64_t>{64};
  return limits;
}

}  // namespace hone::knobs
