#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace hone::report {

/// The place of a node in a drawing of a directed graph.
struct GraphPlace {
  std::size_t row = 0;     ///< from the top; every edge leads downwards
  std::size_t column = 0;  ///< among the nodes of its row
  bool operator==(const GraphPlace&) const = default;
};

/// Places the nodes of a graph in rows, so that edges lead downwards and cross little. A node
/// without predecessors is placed above its first successor. `edges` are pairs of node indices;
/// edges of a cycle may lead upwards.
[[nodiscard]] std::vector<GraphPlace> layOutGraph(
    std::size_t nodes, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace hone::report
