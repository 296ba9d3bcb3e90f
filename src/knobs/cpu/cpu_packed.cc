#include "knobs/cpu/cpu_packed.h"

#include "knobs/cpu/cpu_cost.h"
#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

/// The loops inside a tile are the last three of a linalg.mmt4d; other forms have none.
std::size_t outerLoops(const model::RootOperation& root) {
  const bool inside = root.op.ends_with("mmt4d");
  return root.loops.size() - (inside && root.loops.size() >= 6 ? 3 : 0);
}

/// What is tried as a workgroup's count of tiles: few divide an odd number, so powers of two, too.
std::vector<std::int64_t> counts(std::int64_t tiles) {
  constexpr std::size_t kMost = 16;
  return multiplesOf(1, tiles, tiles, kMost);
}

/// One tile at a time, all of a tile at once.
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
