#include "tune/candidates/candidate_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "knobs/gpu/occupancy.h"

namespace hone::tune {
namespace {

/// Fraction of the subgroups that a GPU needs to hide the latency of memory.
constexpr double kEnoughOccupancy = 0.5;
/// Slowdown per byte that a thread spills; each is stored and loaded again.
constexpr double kSlowdownPerSpilledByte = 0.02;
/// Slowdown of code that cannot be launched with the target's shared memory.
constexpr double kDoesNotFit = 1e6;

}  // namespace

std::optional<CodeResources> resourcesFor(const iree::CodeEvidence& evidence,
                                          std::string_view dispatch, std::string_view target) {
  const auto named =
      std::ranges::find_if(evidence.kernels, [&](const iree::KernelResources& kernel) {
        return kernel.name == dispatch || kernel.name.starts_with(fmt::format("{}_", dispatch));
      });
  const bool single = evidence.kernels.size() == 1;
  if (named == evidence.kernels.end() && !single) {
    return std::nullopt;
  }
  const iree::KernelResources& kernel = single ? evidence.kernels.front() : *named;
  CodeResources code{.registers = kernel.registers,
                     .spilledBytes = kernel.spilledBytes,
                     .sharedBytes = kernel.sharedBytes,
                     .threads = kernel.threads,
                     .occupancy = 0};
  code.occupancy = knobs::occupancy(target, {.registers = kernel.registers,
                                             .sharedBytes = kernel.sharedBytes,
                                             .threads = kernel.threads,
                                             .subgroupSize = kernel.subgroupSize});
  return code;
}

double expectedCost(double guess, const std::optional<CodeResources>& code) {
  if (!code) {
    return guess;
  }
  const double spills = 1 + kSlowdownPerSpilledByte *
                                static_cast<double>(std::max<std::int64_t>(code->spilledBytes, 0));
  const double latency = code->occupancy > 0
                             ? std::sqrt(std::max(1.0, kEnoughOccupancy / code->occupancy))
                             : kDoesNotFit;
  return guess * spills * latency;
}

void orderCandidates(std::vector<CompiledCandidate>& candidates) {
  std::ranges::stable_sort(candidates, [](const CompiledCandidate& a, const CompiledCandidate& b) {
    if (a.worthMeasuring() != b.worthMeasuring()) {
      return a.worthMeasuring();
    }
    return a.worthMeasuring() && a.expectedCost < b.expectedCost;
  });
}

std::string describeOrder(iree::EvidenceSource source) {
  constexpr std::string_view kModel = "a model of arithmetic, memory traffic and parallelism";
  switch (source) {
    case iree::EvidenceSource::amdMetadata:
      return fmt::format(
          "{}, with registers, spills, shared memory and occupancy from the metadata of the code",
          kModel);
    case iree::EvidenceSource::ptxas:
      return fmt::format(
          "{}, with registers, spills, shared memory and occupancy as assembled by ptxas", kModel);
    case iree::EvidenceSource::ptxText:
      return fmt::format(
          "{}, with shared memory and registers estimated from the PTX; install ptxas for exact "
          "registers and spills",
          kModel);
    case iree::EvidenceSource::none:
      break;
  }
  return std::string(kModel);
}

}  // namespace hone::tune
