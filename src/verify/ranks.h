#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verify/tensor/tensor.h"

namespace hone::verify {

/// A class that overtook one of the best classes of a row.
struct RankMismatch {
  std::int64_t row = 0;
  std::int64_t place = 0;  ///< place of `expected` in the reference, from 0
  std::int64_t expected = 0;
  std::int64_t actual = 0;  ///< class that is now ahead of `expected`

  /// Returns "row 0: class 7 is ahead of class 3, which has place 1 in the reference".
  [[nodiscard]] std::string describe() const;
};

/// Returns true if the tensor looks like the scores of a classifier: floats, one row of at least
/// two classes per element of the batch, such as [8,1000] or [1,1000,1,1].
[[nodiscard]] bool isClassification(const Tensor& tensor);

/// Compares the order of scores. In each row, the five best classes of `expected` must stay ahead
/// of all classes whose expected score is lower by more than `gap`. Returns the first violation;
/// nothing for tensors that are not scores. Both tensors have the same number of elements.
[[nodiscard]] std::optional<RankMismatch> compareRanks(const Tensor& actual, const Tensor& expected,
                                                       double gap);

}  // namespace hone::verify
