#include "report/data/graph_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hone::report {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Returns the length of the longest path to each node.
std::vector<std::size_t> rowsFor(std::size_t nodes, const Edges& edges) {
  std::vector<std::size_t> rows(nodes, 0);
  // A path has at most `nodes` edges; more rounds mean a cycle.
  for (std::size_t round = 0, changed = 1; changed != 0 && round < nodes; ++round) {
    changed = 0;
    for (const auto& [from, to] : edges) {
      if (from != to && rows[to] < rows[from] + 1 && rows[from] + 1 < nodes) {
        rows[to] = rows[from] + 1;
        changed = 1;
      }
    }
  }
  return rows;
}

/// Moves nodes without predecessors down to the row above their first successor.
void lowerSources(const Edges& edges, std::vector<std::size_t>& rows) {
  std::vector<std::size_t> first(rows.size(), std::numeric_limits<std::size_t>::max());
  std::vector<bool> fed(rows.size(), false);
  for (const auto& [from, to] : edges) {
    first[from] = std::min(first[from], rows[to]);
    fed[to] = true;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!fed[i] && first[i] != std::numeric_limits<std::size_t>::max() && first[i] > 0) {
      rows[i] = first[i] - 1;
    }
  }
}

}  // namespace

std::vector<GraphPlace> layOutGraph(std::size_t nodes, const Edges& edges) {
  std::vector<std::size_t> rows = rowsFor(nodes, edges);
  lowerSources(edges, rows);
  std::vector<std::vector<std::size_t>> members(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    members[rows[i]].push_back(i);
  }
  std::vector<GraphPlace> places(nodes);
  std::vector<double> wished(nodes, 0);  // the mean column of the predecessors
  for (std::size_t row = 0; row < nodes; ++row) {
    for (const std::size_t node : members[row]) {
      double sum = 0;
      double count = 0;
      for (const auto& [from, to] : edges) {
        if (to == node && rows[from] < row) {
          sum += static_cast<double>(places[from].column);
          ++count;
        }
      }
      wished[node] = count > 0 ? sum / count : static_cast<double>(members[row].size());
    }
    std::ranges::stable_sort(members[row], {}, [&](std::size_t node) { return wished[node]; });
    for (std::size_t column = 0; column < members[row].size(); ++column) {
      places[members[row][column]] = {.row = row, .column = column};
    }
  }
  return places;
}

}  // namespace hone::report
