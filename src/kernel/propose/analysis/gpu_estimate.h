#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/judge/facts/kernel_facts.h"

namespace hone::kernel {

/// Estimated cost of all kernels of a source on one architecture.
struct GpuEstimate {
  std::string arch;
  double cycles = 0;     ///< of the busiest multiprocessor; only good for ranking
  double occupancy = 1;  ///< the lowest share of resident warps, 0 to 1
  std::string problem;   ///< reason why it cannot run there; "" if it can
};

/// Estimates the cost per architecture, from the public rates of A100 (sm_80) and H100 (sm_90).
/// Returns nothing if the work could not be counted. An estimate is not a measurement: it ranks
/// candidates that cannot be timed.
[[nodiscard]] std::vector<GpuEstimate> estimateGpu(const KernelFacts& facts);

/// Returns the estimated cost relative to that of the original: the geometric mean over the
/// architectures. Returns nothing if one of them is unknown, or if the candidate cannot run on an
/// architecture on which the original can.
[[nodiscard]] std::optional<double> relativeGpuCost(const KernelFacts& candidate,
                                                    const KernelFacts& original);

/// Returns "sm_80: 96 registers, 0 bytes spilled, 32768 bytes of shared memory, 25 % occupancy" per
/// architecture.
[[nodiscard]] std::vector<std::string> describeGpu(const KernelFacts& facts);

}  // namespace hone::kernel
