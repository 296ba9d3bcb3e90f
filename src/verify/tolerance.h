#pragma once

#include "model/problem/problem.h"

namespace hone::verify {

/// |actual - expected| may be at most absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// From the element types, the number of products summed up and what follows them; zero where
/// exactness is owed (integers; small-integer inputs whose sums are exact in the accumulator).
/// `exactInputs`: they are Values::smallIntegers, not Values::reals.
[[nodiscard]] Tolerance toleranceFor(const model::Problem& problem, bool exactInputs);
/// For a program that is compared with another build of itself; `scale` is the largest magnitude
/// in the expected output.
[[nodiscard]] Tolerance toleranceFor(model::ElementType type, double scale);

}  // namespace hone::verify
