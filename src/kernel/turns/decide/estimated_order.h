#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// A correct candidate that cannot be timed on this machine, with its estimated cost.
struct EstimatedCandidate {
  const JudgedProposal* tried = nullptr;
  double cost = 1;  ///< relative to the original; see relativeGpuCost()
};

/// Returns the original and the correct candidates by estimated cost, the lowest first. `tried` has
/// the original first. Candidates without an estimate are left out.
[[nodiscard]] std::vector<EstimatedCandidate> orderByEstimate(
    std::span<const JudgedProposal> tried);

}  // namespace hone::kernel
