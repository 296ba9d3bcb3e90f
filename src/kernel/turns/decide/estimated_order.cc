#include "kernel/turns/decide/estimated_order.h"

#include <algorithm>

#include "kernel/propose/analysis/gpu_estimate.h"

namespace hone::kernel {

std::vector<EstimatedCandidate> orderByEstimate(std::span<const JudgedProposal> tried) {
  std::vector<EstimatedCandidate> ordered;
  for (const JudgedProposal& one : tried) {
    if (!one.judged.ok()) {
      continue;
    }
    if (const auto cost = relativeGpuCost(one.judged.facts, tried.front().judged.facts)) {
      ordered.push_back({&one, *cost});
    }
  }
  std::ranges::stable_sort(ordered, {}, &EstimatedCandidate::cost);
  return ordered;
}

}  // namespace hone::kernel
