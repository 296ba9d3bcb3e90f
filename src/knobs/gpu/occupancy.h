#pragma once

#include <cstdint>
#include <string_view>

namespace hone::knobs {

/// Resources of a kernel that limit how many subgroups run at a time.
struct KernelUse {
  std::int64_t registers = 0;    ///< vector registers per thread
  std::int64_t sharedBytes = 0;  ///< per workgroup
  std::int64_t threads = 0;      ///< per workgroup
  std::int64_t subgroupSize = 0;
};

/// Returns the subgroups that a compute unit of the target can hold at a time, as a fraction of its
/// maximum. 0 if not even one workgroup fits.
[[nodiscard]] double occupancy(std::string_view target, const KernelUse& use);

}  // namespace hone::knobs
