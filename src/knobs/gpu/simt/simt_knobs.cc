#include "knobs/gpu/simt/simt_knobs.h"

#include <algorithm>

#include "knobs/gpu/simt/simt_config.h"
#include "knobs/gpu/simt/simt_cost.h"
#include "knobs/gpu/simt/simt_tilings.h"
#include "knobs/loop_roles.h"

namespace hone::knobs {
namespace {

bool isSupported(model::RootKind kind) {
  using model::RootKind;
  return kind == RootKind::contraction || kind == RootKind::convolution ||
         kind == RootKind::reduction || kind == RootKind::elementwise;
}

/// Moves the compiler's preferred subgroup size to the front.
GpuLimits preferring(GpuLimits limits, std::int64_t subgroupSize) {
  const auto at = std::ranges::find(limits.subgroupSizes, subgroupSize);
  if (at != limits.subgroupSizes.end()) {
    std::rotate(limits.subgroupSizes.begin(), at, at + 1);
  }
  return limits;
}

}  // namespace

Result<KnobModel> simtKnobs(const model::RootOperation& root, const GpuLimits& limits) {
  HONE_CHECK(checkLoops(root));
  if (!isSupported(root.kind) || root.outputs.empty()) {
    return userError("{}: no knobs for {} without matrix instructions", root.dispatch,
                     model::nameOf(root.kind));
  }
  const GpuLimits own = preferring(limits, parseSubgroupSize(root.translationInfo));
  Listing listing;
  listing.tilings = vectorDistributeTilings(root, own);
  // TileAndFuse leaves the loops of companions to single threads, unrolled: slow to compile and to
  // run. It is only better than nothing.
  if (root.companions.empty() || listing.tilings.empty()) {
    const auto more = tileAndFuseTilings(root, own);
    listing.tilings.insert(listing.tilings.end(), more.begin(), more.end());
  }
  listing.guess = [root](const Tiling& tiling) { return simtCost(root, SimtConfig::from(tiling)); };
  if (const auto byDefault = simtCompilerDefault(root)) {
    listing.byDefault = byDefault->tiling();
  }
  if (listing.tilings.empty()) {
    return userError("{}: no tiles for these sizes", root.dispatch);
  }
  return listedModel(simtForm(root), std::move(listing));
}

}  // namespace hone::knobs
