#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/judge/task/task.h"
#include "verify/tensor.h"

namespace hone::kernel {

/// How many numbers may be added up for one output element, at most: from the flops, from how many
/// inputs there are for each output, and from the longest dimension.
[[nodiscard]] double reductionLength(const Shape& shape);

/// How many roundings a sum of `length` numbers may be off by. Those of random numbers add up like
/// a random walk, 8 + 4 * sqrt(length), where 4 is ten of its standard deviations; those of equal
/// numbers all go the same way, 8 + length.
[[nodiscard]] double allowedRoundings(double length, bool randomNumbers);

/// What the errors of each element are measured by: the largest of its magnitude and the root mean
/// square along each line of the tensor through it, as what cancels in one element stands beside
/// it; and the same of `condition` where that is given, as what a relative change of the inputs
/// makes of the element, |reference(changed inputs) - reference(inputs)| / change.
[[nodiscard]] std::vector<double> scalesOf(const std::vector<double>& expected,
                                           const std::vector<std::int64_t>& shape,
                                           const std::vector<double>* condition = nullptr);

/// How an output compares with what was expected.
struct Compared {
  double worst = 0;    ///< the error over the scale, where error over bound is largest
  double allowed = 0;  ///< the bound there, in the same unit
  std::int64_t wrong = 0;
  std::int64_t count = 0;
  std::int64_t element = 0;  ///< the worst
  double actual = 0;
  double expected = 0;

  [[nodiscard]] bool ok() const { return wrong == 0; }
};

/// One element may be off by so many roundings of its scale, each half the distance between 1 and
/// the next number: 2^-24 for f32, in which 16-bit types are summed up too. Results of 16 bits get
/// four roundings of their own. Integers must be equal. Where the reference is NaN, anything goes;
/// where it is beyond the type's range, infinity does.
[[nodiscard]] Compared compareOutput(const verify::Tensor& actual,
                                     const std::vector<double>& expected,
                                     const std::vector<double>& scales, double roundings);

}  // namespace hone::kernel
