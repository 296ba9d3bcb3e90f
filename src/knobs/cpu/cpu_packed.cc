#include "knobs/cpu/cpu_packed.h"

#include "knobs/cpu/cpu_cost.h"
#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

/// Returns the number of loops over tiles. The last three loops of a linalg.mmt4d are inside a
/// tile; other forms have no inner loops.
std::size_t outerLoops(const model::RootOperation& root) {
  const bool inside = root.op.ends_with("mmt4d");
  return root.loops.size() - (inside && root.loops.size() >= 6 ? 3 : 0);
}

/// Returns the tile counts per workgroup to try. Includes powers of two, because odd numbers have
/// few divisors.
std::vector<std::int64_t> counts(std::int64_t tiles) {
  constexpr std::size_t kMaxCounts = 16;
  return multiplesOf(1, tiles, tiles, kMaxCounts);
}

/// Returns the configuration with one whole tile per step.
CpuConfig oneTile(const model::RootOperation& root, std::size_t outer) {
  CpuConfig config(root.loops.size());
  config.pipeline = CpuPipeline::mmt4d;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const std::int64_t tile = loop < outer ? 1 : root.loops[loop].size;
    (root.loops[loop].reduction ? config.vectorReduction : config.vectorParallel)[loop] = tile;
    config.distribution[loop] = loop < outer && !root.loops[loop].reduction ? 1 : 0;
  }
  return config;
}

}  // namespace

Result<Listing> cpuPacked(const model::RootOperation& root, const CpuLimits& limits) {
  const std::size_t outer = outerLoops(root);
  std::vector<std::size_t> parallel;
  for (std::size_t loop = 0; loop < outer; ++loop) {
    if (!root.loops[loop].reduction) {
      parallel.push_back(loop);
    }
  }
  if (parallel.size() < 2 || root.inputs.size() < 2 || root.outputs.empty()) {
    return userError("{}: no loop over packed tiles", root.dispatch);
  }
  const std::size_t rows = parallel[parallel.size() - 2];
  const std::size_t columns = parallel.back();
  Listing listing;
  const CpuConfig plain = oneTile(root, outer);
  const auto columnCounts = counts(root.loops[columns].size);
  for (const std::int64_t rowCount : counts(root.loops[rows].size)) {
    for (const std::int64_t columnCount : columnCounts) {
      CpuConfig config = plain;
      config.distribution[rows] = rowCount;
      config.distribution[columns] = columnCount;
      listing.tilings.push_back(config.tiling());
    }
  }
  listing.guess = [cost = ProductCost(root, limits)](const Tiling& tiling) {
    return cost(CpuConfig::from(tiling));
  };
  return listing;
}

}  // namespace hone::knobs
