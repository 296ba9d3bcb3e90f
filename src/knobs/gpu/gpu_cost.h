#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "iree/compile/constraints.h"
#include "model/problem/root_operation.h"
#include "search/space/space.h"

namespace hone::knobs {

/// Estimates the time of an operation on a GPU from its tiles: waves of workgroups times the
/// arithmetic or memory bound of one workgroup. Also penalizes waste at the edges, register spills
/// and small workgroups. Use it only to rank configurations of one operation.
class GpuCost {
 public:
  /// The knobs of `space` must have the names used in `constraints`.
  GpuCost(const model::RootOperation& root, std::span<const iree::PipelineConstraints> constraints,
          const search::Space& space);

  /// Returns the same cost for points that differ only in knobs unknown to the model.
  [[nodiscard]] double operator()(std::span<const std::int64_t> point);

 private:
  using Places = std::vector<std::size_t>;
  [[nodiscard]] double estimate(const std::vector<std::int64_t>& tile, std::int64_t threads) const;

  model::RootOperation root_;
  std::vector<Places> tiles_;  ///< per loop: the knobs that hold its tile, one per pipeline
  Places threads_;             ///< knobs whose product is the workgroup size
  std::map<std::vector<std::int64_t>, double> known_;
};

}  // namespace hone::knobs
