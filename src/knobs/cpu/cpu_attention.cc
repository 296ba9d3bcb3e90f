#include "knobs/cpu/cpu_attention.h"

#include <algorithm>

#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

/// The innermost loop of each kind, and the product of all of a kind.
struct Attention {
  std::size_t query = 0, key = 0;
  std::vector<std::size_t> valueDepth;
  std::int64_t queries = 1, keys = 1, depth = 1, values = 1;
};

Result<Attention> attentionOf(const model::RootOperation& root) {
  if (root.inputs.size() < 3 || root.outputs.empty()) {
    return userError("{}: an attention without query, key and value", root.dispatch);
  }
  Attention attention;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const std::int64_t size = root.loops[loop].size;
    const bool query = walksThrough(root.inputs[0], loop);
    const bool key = walksThrough(root.inputs[1], loop);
    const bool value = walksThrough(root.inputs[2], loop);
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

/// Cycles for one query and one key: what is loaded anew for a tile is shared by all of it.
double costOf(const Attention& attention, const CpuConfig& config, const CpuLimits& limits) {
  constexpr std::int64_t kScoreBytes = 4;
  const auto lanes = static_cast<double>(limits.vectorBytes) / kScoreBytes;
  const auto queries =
      static_cast<double>(std::max<std::int64_t>(1, config.vectorParallel[attention.query]));
  const auto keys =
      static_cast<double>(std::max<std::int64_t>(1, config.vectorReduction[attention.key]));
  double times = 1;  // that the scores are computed
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

Result<Listing> cpuAttention(const model::RootOperation& root, const CpuLimits& limits) {
  constexpr std::int64_t kScoreBytes = 4;
  constexpr std::int64_t kMostAtATime = 64;
  const Attention attention = HONE_TRY(attentionOf(root));
  CpuConfig plain(root.loops.size());
  plain.pipeline = CpuPipeline::linalgExt;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const bool key = loop == attention.key;
    if (!root.loops[loop].reduction && !key && walksThrough(root.outputs[0], loop)) {
      plain.distribution[loop] = 1;
      plain.vectorParallel[loop] = 1;
    }
  }
  // Split, each part of the values' depth would compute all scores anew.
  for (const std::size_t loop : attention.valueDepth) {
    plain.distribution[loop] = 0;
    plain.vectorParallel[loop] = root.loops[loop].size;
  }
  Listing listing;
  for (const std::int64_t share : divisorsOf(attention.queries)) {
    for (const std::int64_t queries : divisorsOf(share)) {
      for (const std::int64_t keys : divisorsOf(attention.keys)) {
        const std::int64_t largest =
            queries * keys * std::max(attention.depth, attention.values) * kScoreBytes;
        if (queries > kMostAtATime || keys > kMostAtATime * 4 ||
            largest >= limits.largestVectorBytes()) {
          continue;
        }
        CpuConfig config = plain;
        config.distribution[attention.query] = share;
        config.vectorParallel[attention.query] = queries;
        config.vectorReduction[attention.key] = keys;
        listing.tilings.push_back(config.tiling());
      }
    }
  }
  listing.guess = [attention, limits](const Tiling& tiling) {
    return costOf(attention, CpuConfig::from(tiling), limits);
  };
  return listing;
}

}  // namespace hone::knobs
