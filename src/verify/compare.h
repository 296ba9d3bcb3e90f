#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "verify/tensor/tensor.h"
#include "verify/tolerance.h"

namespace hone::verify {

struct Mismatch {
  std::vector<std::int64_t> index;  ///< worst element
  double actual = 0;
  double expected = 0;
  double allowed = 0;      ///< tolerance at that element
  std::int64_t wrong = 0;  ///< number of elements out of tolerance
  std::int64_t count = 0;  ///< number of all elements

  /// Returns "element [3,7]: got 12.5, expected 12.25, tolerance 0.001 (17 of 4096 elements
  /// differ)".
  [[nodiscard]] std::string describe() const;
};

/// Returns nullopt if all elements are within tolerance. NaN equals only NaN, and an infinity only
/// itself. Element types may differ (an f16 result against an f32 reference); fails if the shapes
/// differ.
[[nodiscard]] Result<std::optional<Mismatch>> compare(const Tensor& actual, const Tensor& expected,
                                                      const Tolerance& tolerance);

/// Returns the tolerance for further builds of a program whose baseline gave `baseline`, compared
/// with `reference`: a few times the difference of the two, and at least that between two builds.
/// Returns nullopt if they do not agree.
[[nodiscard]] Result<std::optional<Tolerance>> toleranceBetween(const Tensor& baseline,
                                                                const Tensor& reference);

/// Returns the largest finite magnitude in the tensor.
[[nodiscard]] double largestMagnitude(const Tensor& tensor);

}  // namespace hone::verify
