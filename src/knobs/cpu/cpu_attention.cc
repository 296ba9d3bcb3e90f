#include "knobs/cpu/cpu_attention.h"

#include <algorithm>

#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

constexpr std::int64_t kScoreBytes = 4;

/// Estimates the cycles per query and key. All pairs of a tile share its loads.
double attentionCost(const AttentionLoops& attention, const CpuConfig& config,
                     const CpuLimits& limits) {
  const auto lanes = static_cast<double>(limits.vectorBytes) / kScoreBytes;
  const auto queries =
      static_cast<double>(std::max<std::int64_t>(1, config.vectorParallel[attention.query]));
  const auto keys =
      static_cast<double>(std::max<std::int64_t>(1, config.vectorReduction[attention.key]));
  double times = 1;  // number of times that the scores are computed
  for (const std::size_t loop : attention.valueDepth) {
    const std::int64_t tile = config.vectorParallel[loop];
    times *= tile > 0 ? static_cast<double>(ceilDiv(attention.values, tile)) : 1;
  }
  const auto work =
      static_cast<double>(attention.depth) * times + static_cast<double>(attention.values);
  const double loads = work / queries + work / keys;
  const double spilled =
      std::max(0.0, queries * keys / lanes - static_cast<double>(limits.registers));
  return (work + loads) / lanes + spilled;
}

}  // namespace

Result<AttentionLoops> findAttentionLoops(const model::RootOperation& root) {
  if (root.inputs.size() < 3 || root.outputs.empty()) {
    return userError("{}: expected an attention with query, key and value", root.dispatch);
  }
  AttentionLoops attention;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const std::int64_t size = root.loops[loop].size;
    const bool query = indexes(root.inputs[0], loop);
    const bool key = indexes(root.inputs[1], loop);
    const bool value = indexes(root.inputs[2], loop);
    if (query && !key && !value) {
      attention.query = loop;
      attention.queries = size;
    } else if (query && key && !value) {
      attention.depth *= size;
    } else if (!query && key && value) {
      attention.key = loop;
      attention.keys = size;
    } else if (!query && !key && value) {
      attention.valueDepth.push_back(loop);
      attention.values *= size;
    }
  }
  return attention;
}

std::optional<CpuConfig> withAttentionTile(const model::RootOperation& root,
                                           const AttentionLoops& loops, const AttentionTile& tile,
                                           const CpuLimits& limits) {
  if (tile.queries * tile.keys * std::max(loops.depth, loops.values) * kScoreBytes >=
      limits.largestVectorBytes()) {
    return std::nullopt;
  }
  CpuConfig config(root.loops.size());
  config.pipeline = CpuPipeline::linalgExt;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const bool key = loop == loops.key;
    if (!root.loops[loop].reduction && !key && indexes(root.outputs[0], loop)) {
      config.distribution[loop] = 1;
      config.vectorParallel[loop] = 1;
    }
  }
  for (const std::size_t loop : loops.valueDepth) {
    config.distribution[loop] = 0;
    config.vectorParallel[loop] = root.loops[loop].size;
  }
  config.distribution[loops.query] = tile.workgroupQueries;
  config.vectorParallel[loops.query] = tile.queries;
  config.vectorReduction[loops.key] = tile.keys;
  return config;
}

Result<Listing> cpuAttention(const model::RootOperation& root, const CpuLimits& limits) {
  constexpr std::int64_t kMaxQueriesPerStep = 64;
  const AttentionLoops attention = HONE_TRY(findAttentionLoops(root));
  Listing listing;
  for (const std::int64_t workgroup : divisorsOf(attention.queries)) {
    for (const std::int64_t queries : divisorsOf(workgroup)) {
      for (const std::int64_t keys : divisorsOf(attention.keys)) {
        if (queries > kMaxQueriesPerStep || keys > kMaxQueriesPerStep * 4) {
          continue;
        }
        const AttentionTile tile{.workgroupQueries = workgroup, .queries = queries, .keys = keys};
        if (const auto config = withAttentionTile(root, attention, tile, limits)) {
          listing.tilings.push_back(config->tiling());
        }
      }
    }
  }
  listing.guess = [attention, limits](const Tiling& tiling) {
    return attentionCost(attention, CpuConfig::from(tiling), limits);
  };
  return listing;
}

}  // namespace hone::knobs
