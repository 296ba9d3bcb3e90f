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

/// About how long an operation takes on a GPU by its tiles: the rounds in which its workgroups are
/// done, times what bounds one of them, arithmetic or memory. What is wasted at the edges, results
/// that do not fit into registers and workgroups of few threads count as well. Good for an order of
/// configurations of one operation, nothing else.
class GpuCost {
 public:
  /// Of a space whose knobs have the names of the constraints.
  GpuCost(const model::RootOperation& root, std::span<const iree::PipelineConstraints> constraints,
          const search::Space& space);

  /// The same for all points that differ only in what the model does not know.
  [[nodiscard]] double operator()(std::span<const std::int64_t> point);

 private:
  using Places = std::vector<std::size_t>;
  [[nodiscard]] double costOf(const std::vector<std::int64_t>& tile, std::int64_t threads) const;

  model::RootOperation root_;
  std::vector<Places> tiles_;  ///< for each loop the knobs that are its tile, one a pipeline
  Places threads_;             ///< the knobs that multiply to the size of a workgroup
  std::map<std::vector<std::int64_t>, double> known_;
};

}  // namespace hone::knobs
