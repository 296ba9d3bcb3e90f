#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "verify/tensor.h"
#include "verify/tolerance.h"

namespace hone::verify {

struct Mismatch {
  std::vector<std::int64_t> index;  ///< of the worst element
  double actual = 0;
  double expected = 0;
  double allowed = 0;      ///< the tolerance at that element
  std::int64_t wrong = 0;  ///< how many elements are out of tolerance
  std::int64_t count = 0;  ///< of how many

  /// "element [3,7]: got 12.5, expected 12.25, tolerance 0.001 (17 of 4096 elements differ)"
  [[nodiscard]] std::string describe() const;
};

/// Nothing when all elements are within tolerance. NaN equals only NaN. Element types may differ
/// (an f16 result against an f32 reference); shapes may not: that is an error.
[[nodiscard]] Result<std::optional<Mismatch>> compare(const Tensor& actual, const Tensor& expected,
                                                      const Tolerance& tolerance);

/// The largest magnitude in the tensor, NaN and infinities left out.
[[nodiscard]] double largestMagnitude(const Tensor& tensor);

}  // namespace hone::verify
