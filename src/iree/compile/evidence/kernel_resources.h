#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::iree {

/// Resources of one kernel, read from its compiled code.
struct KernelResources {
  std::string name;
  std::int64_t registers = 0;     ///< vector registers per thread
  std::int64_t spilledBytes = 0;  ///< memory per thread for values without a register
  std::int64_t sharedBytes = 0;   ///< shared memory per workgroup
  std::int64_t threads = 0;       ///< per workgroup
  std::int64_t subgroupSize = 0;

  bool operator==(const KernelResources&) const = default;
};

}  // namespace hone::iree
