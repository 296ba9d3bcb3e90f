#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"

namespace hone::knobs {

/// The innermost loop of each kind, and the product of all of a kind.
struct AttentionLoops {
  std::size_t query = 0, key = 0;
  std::vector<std::size_t> valueDepth;
  std::int64_t queries = 1, keys = 1, depth = 1, values = 1;
};

[[nodiscard]] Result<AttentionLoops> attentionLoopsOf(const model::RootOperation& root);

/// Queries of a workgroup, and queries and keys that are worked on at a time.
struct AttentionTile {
  std::int64_t share, queries, keys;
};

/// Returns the configuration with this tile; nothing if the compiler refuses its vectors. The depth
/// of the values is never split: each part of it would compute all scores anew.
[[nodiscard]] std::optional<CpuConfig> withAttentionTile(const model::RootOperation& root,
                                                         const AttentionLoops& loops,
                                                         const AttentionTile& tile,
                                                         const CpuLimits& limits);

/// Tilings of an online attention: queries for a workgroup, and queries and keys at a time.
[[nodiscard]] Result<Listing> cpuAttention(const model::RootOperation& root,
                                           const CpuLimits& limits);

}  // namespace hone::knobs
