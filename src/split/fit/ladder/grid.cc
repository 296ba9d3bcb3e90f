#include "split/fit/ladder/grid.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "split/fit/ladder/boundaries.h"

namespace hone::split {
namespace {

constexpr std::size_t kMaxColumns = 128;
constexpr std::size_t kMaxRows = 16;

using Between = std::function<std::optional<std::int64_t>(std::int64_t, std::int64_t)>;

/// Returns at most `most` boundaries between neighbouring sizes, evenly spaced over the shapes, and
/// the upper end.
std::vector<std::int64_t> chooseCuts(std::vector<std::int64_t> sizes, std::size_t most,
                                     const Between& between, std::int64_t end) {
  std::sort(sizes.begin(), sizes.end());
  const std::size_t every = (sizes.size() + most - 1) / most;
  std::vector<std::int64_t> cuts;
  std::size_t since = 0;  // shapes since the last cut
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (++since < every || sizes[i - 1] == sizes[i]) {
      continue;
    }
    if (const auto cut = between(sizes[i - 1], sizes[i])) {
      cuts.push_back(*cut);
      since = 0;
    }
  }
  cuts.push_back(end);
  return cuts;
}

std::size_t findCell(const std::vector<std::int64_t>& cuts, std::int64_t size) {
  return static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), size) - cuts.begin());
}

template <typename Of>
std::vector<std::int64_t> each(const Cases& cases, Of of) {
  std::vector<std::int64_t> values;
  std::transform(cases.all.begin(), cases.all.end(), std::back_inserter(values), of);
  return values;
}

}  // namespace

Grid::Grid(const Cases& cases) : limits_(cases.limits), caps_(cases.caps) {
  const auto outputs = each(cases, [](const Case& one) { return one.outputSize; });
  const auto reductions = each(cases, [](const Case& one) { return one.reductionSize; });
  const std::int64_t largest = *std::max_element(reductions.begin(), reductions.end());
  outputCuts_ = chooseCuts(outputs, kMaxColumns, squareBetween,
                           squareAbove(*std::max_element(outputs.begin(), outputs.end())));
  reductionCuts_ = chooseCuts(reductions, kMaxRows, decimalBetween, decimalAbove(largest));
  sums_.resize((columns() + 1) * (rows() + 1) * limits_.size());
  capSums_.assign(columns() + 1, std::vector<Objective>(caps_.size()));
  for (const Case& one : cases.all) {
    const std::size_t column = findCell(outputCuts_, one.outputSize);
    const std::size_t row = findCell(reductionCuts_, one.reductionSize);
    for (std::size_t limit = 0; limit < limits_.size(); ++limit) {
      sum(column + 1, row + 1, limit) += one.limitCosts[limit].objective();
    }
    for (std::size_t cap = 0; cap < caps_.size(); ++cap) {
      capSums_[column][cap] += one.capCosts[cap].objective();
    }
  }
  addUp();
}

void Grid::addUp() {
  for (std::size_t column = 1; column <= columns(); ++column) {
    for (std::size_t row = 1; row <= rows(); ++row) {
      for (std::size_t limit = 0; limit < limits_.size(); ++limit) {
        sum(column, row, limit) += sum(column - 1, row, limit) + sum(column, row - 1, limit) -
                                   sum(column - 1, row - 1, limit);
      }
    }
  }
  for (std::size_t column = columns(); column-- > 0;) {
    for (std::size_t cap = 0; cap < caps_.size(); ++cap) {
      capSums_[column][cap] += capSums_[column + 1][cap];
    }
  }
}

Strip Grid::strip(std::size_t c0, std::size_t c1) const {
  const std::size_t column = (rows() + 1) * limits_.size();
  std::vector<Objective> sums(column);
  for (std::size_t i = 0; i < column; ++i) {
    sums[i] = sums_[c1 * column + i] - sums_[c0 * column + i];
  }
  return {limits_, std::move(sums)};
}

std::optional<LimitChoice> Grid::capFrom(std::size_t c0, std::int64_t most) const {
  std::optional<LimitChoice> best;
  for (std::size_t cap = caps_.size(); cap-- > 0;) {
    if (caps_[cap] <= most && (!best || capSums_[c0][cap] < best->cost)) {
      best = {capSums_[c0][cap], caps_[cap]};
    }
  }
  return best;
}

Objective Strip::computeCost(std::size_t r0, std::size_t r1) const {
  Objective least = cost(r0, r1, 0);
  for (std::size_t limit = 1; limit < limits_.size(); ++limit) {
    least = std::min(least, cost(r0, r1, limit));
  }
  return least;
}

std::int64_t Strip::limitFor(std::size_t r0, std::size_t r1) const {
  // The same costs summed in another order differ by rounding.
  constexpr Objective kRounding{.value = 1e-9};
  const Objective most = computeCost(r0, r1) + kRounding;
  std::size_t limit = 0;
  while (cost(r0, r1, limit) > most) {
    ++limit;
  }
  return limits_[limit];
}

}  // namespace hone::split
