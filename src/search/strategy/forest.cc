#include "search/strategy/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone::search {
namespace {

constexpr std::size_t kTrees = 16;
/// Smaller nodes are not split.
constexpr std::size_t kMinSplit = 3;

/// Sum and sum of squares of targets.
struct Moments {
  double count = 0, sum = 0, squares = 0;

  void add(double target) {
    count += 1;
    sum += target;
    squares += target * target;
  }
  [[nodiscard]] double error() const { return count == 0 ? 0 : squares - sum * sum / count; }
};

}  // namespace

void Forest::fit(const std::vector<Row>& rows, const std::vector<double>& targets) {
  nodes_.clear();
  roots_.clear();
  std::vector<std::size_t> members(rows.size());
  for (std::size_t tree = 0; tree < kTrees && !rows.empty(); ++tree) {
    std::iota(members.begin(), members.end(), std::size_t{0});
    roots_.push_back(nodes_.size());
    grow(rows, targets, members);
  }
}

void Forest::grow(const std::vector<Row>& rows, const std::vector<double>& targets,
                  std::span<std::size_t> members) {
  const std::size_t at = nodes_.size();
  Node node;
  for (const std::size_t member : members) {
    node.mean += targets[member] / static_cast<double>(members.size());
  }
  const std::size_t left = members.size() < kMinSplit ? 0 : cutBest(rows, targets, members, node);
  nodes_.push_back(node);
  if (left == 0) {
    return;
  }
  grow(rows, targets, members.first(left));
  nodes_[at].right = nodes_.size();
  grow(rows, targets, members.subspan(left));
}

/// Draws one random cut per feature and applies the one with the least error, moving the left
/// members to the front. Returns their number, or 0 if nothing can be split.
std::size_t Forest::cutBest(const std::vector<Row>& rows, const std::vector<double>& targets,
                            std::span<std::size_t> members, Node& node) {
  double leastError = INFINITY;
  for (std::uint32_t feature = 0; feature < rows[0].size(); ++feature) {
    const auto [low, high] = std::minmax_element(
        members.begin(), members.end(),
        [&](std::size_t a, std::size_t b) { return rows[a][feature] < rows[b][feature]; });
    const float from = rows[*low][feature];
    const float to = rows[*high][feature];
    if (from == to) {
      continue;
    }
    const float cut = from + static_cast<float>(random_.uniform()) * (to - from);
    Moments left;
    Moments right;
    for (const std::size_t member : members) {
      (rows[member][feature] <= cut ? left : right).add(targets[member]);
    }
    const double error = left.error() + right.error();
    if (left.count > 0 && right.count > 0 && error < leastError) {
      leastError = error;
      node.feature = feature;
      node.cut = cut;
    }
  }
  if (std::isinf(leastError)) {
    return 0;
  }
  const auto middle = std::partition(members.begin(), members.end(), [&](std::size_t member) {
    return rows[member][node.feature] <= node.cut;
  });
  return static_cast<std::size_t>(middle - members.begin());
}

Prediction Forest::predict(Row row) const {
  Moments answers;
  for (const std::size_t root : roots_) {
    std::size_t at = root;
    while (nodes_[at].right != 0) {
      at = row[nodes_[at].feature] <= nodes_[at].cut ? at + 1 : nodes_[at].right;
    }
    answers.add(nodes_[at].mean);
  }
  if (answers.count == 0) {
    return {};
  }
  return {answers.sum / answers.count, std::sqrt(std::max(answers.error() / answers.count, 0.0))};
}

}  // namespace hone::search
