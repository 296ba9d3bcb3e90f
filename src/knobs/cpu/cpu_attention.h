#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// Innermost loop of each kind, and the total size of all loops of a kind.
struct AttentionLoops {
  std::size_t query = 0, key = 0;
  std::vector<std::size_t> valueDepth;
  std::int64_t queries = 1, keys = 1, depth = 1, values = 1;
};

[[nodiscard]] Result<AttentionLoops> findAttentionLoops(const model::RootOperation& root);

/// Tile of an attention.
struct AttentionTile {
  std::int64_t workgroupQueries;  ///< queries per workgroup
  std::int64_t queries, keys;     ///< per inner step
};

/// Returns the configuration with this tile; nothing if the compiler rejects its vector sizes. The
/// value depth is never split, because each part would recompute all scores.
[[nodiscard]] std::optional<CpuConfig> withAttentionTile(const model::RootOperation& root,
                                                         const AttentionLoops& loops,
                                                         const AttentionTile& tile,
                                                         const CpuLimits& limits);

/// Lists tilings of an online attention: queries per workgroup, and queries and keys per inner
/// step.
[[nodiscard]] Result<Listing> cpuAttention(const model::RootOperation& root,
                                           const CpuLimits& limits);

}  // namespace hone::knobs
