#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "split/fit/cases.h"

namespace hone::split {

/// The cheapest limit, or cap, for some cases, and what it costs them.
struct LimitChoice {
  double cost = 0;
  std::int64_t limit = 1;
};

/// Some neighbouring columns of a grid, for all of its rows.
class Strip {
 public:
  Strip(const std::vector<std::int64_t>& limits, std::vector<double> sums)
      : limits_(limits), sums_(std::move(sums)) {}

  /// What the cheapest limit for rows [r0, r1) costs.
  [[nodiscard]] double costOf(std::size_t r0, std::size_t r1) const;
  /// That limit; the smaller of equals.
  [[nodiscard]] std::int64_t limitFor(std::size_t r0, std::size_t r1) const;

 private:
  [[nodiscard]] double cost(std::size_t r0, std::size_t r1, std::size_t limit) const {
    return sums_[r1 * limits_.size() + limit] - sums_[r0 * limits_.size() + limit];
  }

  const std::vector<std::int64_t>& limits_;
  std::vector<double> sums_;  ///< of all rows before a row, by limit
};

/// Cases in cells between candidate boundaries, with sums by which the cost of any rectangle of
/// cells is found at once. Columns are output sizes, rows are reduction sizes.
class Grid {
 public:
  /// Of at least one case.
  explicit Grid(const Cases& cases);

  [[nodiscard]] std::size_t columns() const { return outputCuts_.size(); }
  [[nodiscard]] std::size_t rows() const { return reductionCuts_.size(); }
  /// Above the column's shapes; the last is above all.
  [[nodiscard]] std::int64_t outputAbove(std::size_t column) const { return outputCuts_[column]; }
  [[nodiscard]] std::int64_t reductionAbove(std::size_t row) const { return reductionCuts_[row]; }

  /// The columns [c0, c1); it refers to the grid.
  [[nodiscard]] Strip strip(std::size_t c0, std::size_t c1) const;
  /// The cheapest cap for all columns from c0 on; the larger of equals.
  [[nodiscard]] LimitChoice capFrom(std::size_t c0) const;

 private:
  /// Of all cells before a row and before a column, by limit.
  [[nodiscard]] double& sum(std::size_t column, std::size_t row, std::size_t limit) {
    return sums_[(column * (rows() + 1) + row) * limits_.size() + limit];
  }
  void addUp();

  std::vector<std::int64_t> limits_, caps_;
  std::vector<std::int64_t> outputCuts_, reductionCuts_;
  std::vector<double> sums_;
  std::vector<std::vector<double>> capSums_;  ///< of all columns from one on, by cap
};

}  // namespace hone::split
