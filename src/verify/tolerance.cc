#include <algorithm>
#include <cmath>

#include "verify/compare.h"

namespace hone::verify {
namespace {

using model::ElementType;

/// Bits of the significand, the hidden one too; no more than f32's, in which the reference is.
int precisionOf(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 11;
    case ElementType::bf16:
      return 8;
    default:
      return 24;
  }
}

/// The mean square of the inputs' values (verify::Values): of ±1…±8, and of uniform [-1, 1).
constexpr double kMeanSquareOfIntegers = 25.5;
constexpr double kMeanSquareOfReals = 1.0 / 3;
constexpr double kLargestProductOfIntegers = 64;

/// Sums are exact while no partial sum needs more bits than the accumulator has. The second bound
/// is twelve standard deviations of a sum of random signs: never reached in practice.
bool sumsAreExact(double length, ElementType accumulator) {
  const double certain = kLargestProductOfIntegers * length;
  const double practical = 12 * kMeanSquareOfIntegers * std::sqrt(length);
  return std::min(certain, practical) <= std::ldexp(1.0, precisionOf(accumulator));
}

}  // namespace

Tolerance toleranceFor(const model::Problem& problem, bool exactInputs) {
  const ElementType accumulator = resultOf(problem).element;
  const bool integers = exactInputs || !isFloat(operandsOf(problem)[0].element);
  const auto length = static_cast<double>(reductionLength(problem));
  if (!isFloat(accumulator) || (integers && sumsAreExact(length, accumulator))) {
    return {};
  }
  // A partial sum of k products has a standard deviation of s * sqrt(k), and each step rounds it
  // by at most u of that; these errors add up like a random walk to u * s * K / sqrt(2). Four
  // times that is ten of the real standard deviations, as the mean rounding is under half of u;
  // the 8 covers few products, for which no statistics hold.
  const double u = std::ldexp(1.0, -precisionOf(accumulator));
  const double s = integers ? kMeanSquareOfIntegers : kMeanSquareOfReals;
  return {4 * u * s * (length + 8) / std::numbers::sqrt2, 2 * u};
}

Tolerance toleranceFor(model::ElementType type, double scale) {
  // Builds differ in the order of sums, of unknown length and in several layers: half of the
  // type's digits is what f32 keeps; the 16-bit types, whose sums are in f32, lose a few roundings.
  switch (type) {
    case ElementType::f64:
      return {scale * 0x1p-40, 0};
    case ElementType::f32:
      return {scale * 0x1p-15, 0};
    case ElementType::f16:
      return {scale * 0x1p-7, 0};
    case ElementType::bf16:
      return {scale * 0x1p-5, 0};
    default:
      return {};
  }
}

}  // namespace hone::verify
