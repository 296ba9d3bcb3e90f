#pragma once

#include "model/problem/problem.h"
#include "verify/inputs.h"

namespace hone::verify {

/// Bound of |actual - expected|: absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// Returns the tolerance for the element types, the reduction length and the epilogue. Zero if the
/// result must be exact: integers, or small-integer inputs whose sums are exact in the accumulator.
[[nodiscard]] Tolerance toleranceFor(const model::Problem& problem, Values inputs);
/// Returns the tolerance between two builds of a program; `scale` is the largest magnitude in the
/// expected output.
[[nodiscard]] Tolerance toleranceFor(model::ElementType type, double scale);

/// Returns the largest difference, for values up to `scale`, at which two implementations of a
/// model still agree.
[[nodiscard]] Tolerance agreementTolerance(model::ElementType type, double scale);

}  // namespace hone::verify
