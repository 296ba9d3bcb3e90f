#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/cases.h"

namespace hone::split {

/// Cases in cells between candidate boundaries, with sums by which the cost of any rectangle of
/// cells is found at once. Columns are output sizes, rows are reduction sizes.
class Grid {
 public:
  explicit Grid(const Cases& cases);

  [[nodiscard]] std::size_t columns() const { return outputCuts_.size(); }
  [[nodiscard]] std::size_t rows() const { return reductionCuts_.size(); }
  /// Above the column's shapes; the last is above all.
  [[nodiscard]] std::int64_t outputAbove(std::size_t column) const { return outputCuts_[column]; }
  [[nodiscard]] std::int64_t reductionAbove(std::size_t row) const { return reductionCuts_[row]; }

  struct Choice {
    double cost = 0;
    std::int64_t limit = 1;  ///< or cap
  };
  /// The cheapest limit for columns [c0, c1) and rows [r0, r1); the smaller of equals.
  [[nodiscard]] Choice limitFor(std::size_t c0, std::size_t c1, std::size_t r0,
                                std::size_t r1) const;
  /// The cheapest cap for all columns from c0 on; the larger of equals.
  [[nodiscard]] Choice capFrom(std::size_t c0) const;

 private:
  [[nodiscard]] double& sum(std::size_t column, std::size_t row, std::size_t limit) {
    return sums_[(column * (rows() + 1) + row) * limits_.size() + limit];
  }
  [[nodiscard]] double sum(std::size_t column, std::size_t row, std::size_t limit) const {
    return sums_[(column * (rows() + 1) + row) * limits_.size() + limit];
  }

  std::vector<std::int64_t> limits_, caps_;
  std::vector<std::int64_t> outputCuts_, reductionCuts_;
  std::vector<double> sums_;                  ///< of all cells before a column and a row
  std::vector<std::vector<double>> capSums_;  ///< of all columns from one on, by cap
};

}  // namespace hone::split
