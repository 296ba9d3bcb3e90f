#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor/tensor.h"

namespace hone::kernel {

/// Returns the number of roundings by which a sum of `length` numbers may be off. Errors of random
/// numbers are a random walk: 8 + 4 * sqrt(length), where 4 is ten standard deviations. Errors of
/// equal numbers have the same sign: 8 + length.
[[nodiscard]] double allowedRoundings(double length, bool randomNumbers);

/// Returns the scale that the error of each element is relative to: the larger of its magnitude and
/// the root mean square along each line of the tensor through it. The lines matter because terms
/// that cancel in one element show in its neighbours. `condition`, if given, raises the scales in
/// the same way; it is |reference(perturbed inputs) - reference(inputs)| / perturbation.
[[nodiscard]] std::vector<double> errorScales(const std::vector<double>& expected,
                                              const std::vector<std::int64_t>& shape,
                                              const std::vector<double>* condition = nullptr);

/// Result of comparing an output with the reference.
struct OutputComparison {
  double worst = 0;    ///< error / scale of the element where error / bound is largest
  double allowed = 0;  ///< the bound for that element, in the same unit
  std::int64_t wrong = 0;
  std::int64_t count = 0;
  std::int64_t element = 0;  ///< index of the worst element
  double actual = 0;
  double expected = 0;

  [[nodiscard]] bool ok() const { return wrong == 0; }
};

/// Compares an output with the reference. Each element may be off by `roundings` of its scale. One
/// rounding is half the distance between 1 and the next number: 2^-24 for f32, which also sums
/// 16-bit types. Results of 16-bit types get four more roundings of that type.
///
/// Integers must be equal. Any value passes where the reference is NaN. Infinity passes where the
/// reference is beyond the range of the type.
[[nodiscard]] OutputComparison compareOutput(const verify::Tensor& actual,
                                             const std::vector<double>& expected,
                                             const std::vector<double>& scales, double roundings);

}  // namespace hone::kernel
