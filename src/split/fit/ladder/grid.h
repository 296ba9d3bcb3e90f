#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "split/fit/cases.h"

namespace hone::split {

/// The limit or cap with the lowest cost for some cases, and that cost.
struct LimitChoice {
  Objective cost;
  std::int64_t limit = 1;
};

/// A range of adjacent columns of a grid, with all rows.
class Strip {
 public:
  Strip(const std::vector<std::int64_t>& limits, std::vector<Objective> sums)
      : limits_(limits), sums_(std::move(sums)) {}

  /// Returns the cost of the cheapest limit for rows [r0, r1).
  [[nodiscard]] Objective computeCost(std::size_t r0, std::size_t r1) const;
  /// Returns that limit; the smaller one on a tie.
  [[nodiscard]] std::int64_t limitFor(std::size_t r0, std::size_t r1) const;

 private:
  [[nodiscard]] Objective cost(std::size_t r0, std::size_t r1, std::size_t limit) const {
    return sums_[r1 * limits_.size() + limit] - sums_[r0 * limits_.size() + limit];
  }

  const std::vector<std::int64_t>& limits_;
  std::vector<Objective> sums_;  ///< prefix sums over rows, by limit
};

/// Cases in cells between candidate boundaries, with prefix sums that give the cost of any
/// rectangle of cells in constant time. Columns are output sizes, rows are reduction sizes.
class Grid {
 public:
  /// There must be at least one case.
  explicit Grid(const Cases& cases);

  [[nodiscard]] std::size_t columns() const { return outputCuts_.size(); }
  [[nodiscard]] std::size_t rows() const { return reductionCuts_.size(); }
  /// Returns the boundary above the column; the last one is above all shapes.
  [[nodiscard]] std::int64_t outputAbove(std::size_t column) const { return outputCuts_[column]; }
  [[nodiscard]] std::int64_t reductionAbove(std::size_t row) const { return reductionCuts_[row]; }

  /// Returns the columns [c0, c1); the result refers to the grid.
  [[nodiscard]] Strip strip(std::size_t c0, std::size_t c1) const;
  /// Returns the cheapest cap up to `most` for all columns from c0 on; the larger one on a tie.
  /// Returns nullopt if all caps are larger.
  [[nodiscard]] std::optional<LimitChoice> capFrom(
      std::size_t c0, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;

 private:
  /// Returns the prefix sum over all cells before a row and a column, by limit.
  [[nodiscard]] Objective& sum(std::size_t column, std::size_t row, std::size_t limit) {
    return sums_[(column * (rows() + 1) + row) * limits_.size() + limit];
  }
  void addUp();

  std::vector<std::int64_t> limits_, caps_;
  std::vector<std::int64_t> outputCuts_, reductionCuts_;
  std::vector<Objective> sums_;
  std::vector<std::vector<Objective>> capSums_;  ///< suffix sums over columns, by cap
};

}  // namespace hone::split
