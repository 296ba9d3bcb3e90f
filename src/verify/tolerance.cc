#include "verify/tolerance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hone::verify {
namespace {

using model::ElementType;

/// Returns the significand bits including the hidden one, at most those of the f32 reference.
int significandBits(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 11;
    case ElementType::bf16:
      return 8;
    default:
      return 24;
  }
}

/// Mean squares of the input values (verify::Values): ±1…±8 and uniform in [-1, 1).
constexpr double kMeanSquareOfIntegers = 25.5;
constexpr double kMeanSquareOfReals = 1.0 / 3;
constexpr double kLargestInteger = 8;

/// Returns half the distance between 1 and the next number.
double unitRoundoff(ElementType type) { return std::ldexp(1.0, -significandBits(type)); }

/// Properties of the problem's inputs and accumulator that bound its rounding errors.
struct ErrorModel {
  ErrorModel(const model::Problem& problem, Values inputs)
      : accumulator(resultType(problem).element),
        integers(inputs == Values::smallIntegers || !isFloat(operandTypes(problem)[0].element)),
        length(static_cast<double>(reductionLength(problem))),
        u(unitRoundoff(accumulator)) {
    if (findEpilogue(problem).bias) {
      exactBias = inputs == Values::smallIntegers;
      bias = exactBias ? kLargestInteger : 1;
    }
  }
  /// Returns the largest product.
  [[nodiscard]] double largestProduct() const {
    return integers ? kLargestInteger * kLargestInteger : 1;
  }
  /// Returns the standard deviation of a product.
  [[nodiscard]] double spread() const {
    return integers ? kMeanSquareOfIntegers : kMeanSquareOfReals;
  }
  /// Bounds the sums by the largest product and by `deviations` standard deviations.
  [[nodiscard]] double largestSum(double deviations) const {
    return std::min(largestProduct() * length, deviations * spread() * std::sqrt(length)) + bias;
  }
  /// Returns true if no partial sum needs more bits than the accumulator has. In practice a sum of
  /// random signs never reaches twelve standard deviations. Includes the bias, since the compiler
  /// may start the sum with it.
  [[nodiscard]] bool isExact() const {
    return !isFloat(accumulator) ||
           (integers && exactBias &&
            largestSum(12) <= std::ldexp(1.0, significandBits(accumulator)));
  }

  ElementType accumulator;
  bool integers;
  double length;
  double u;
  double bias = 0;  ///< largest bias
  bool exactBias = true;
};

/// Returns the tolerance of the sums including the bias.
Tolerance sumTolerance(const ErrorModel& errors) {
  if (errors.isExact()) {
    return {};
  }
  // A partial sum of k products has the standard deviation s * sqrt(k), and each step rounds it by
  // a factor of at most u. These errors add up like a random walk to u * s * K / sqrt(2). Four
  // times that is ten real standard deviations, since the mean rounding is below u / 2. The 8
  // covers short sums, for which the statistics do not hold. The reference adds in f32.
  const double u = errors.u;
  const double both = u + unitRoundoff(ElementType::f32);
  const double walk = 4 * both * errors.spread() * (errors.length + 8) / std::numbers::sqrt2;
  return {walk + u * errors.bias, errors.bias > 0 ? 3 * u : 2 * u};
}

/// Returns the tolerance after gelu. Its slope is at most 1.13. For negative x, x times the slope
/// is at most 0.4. There 1 + erf keeps few digits, scaled by x / 2 (at most 5 in f32, less in other
/// types). The operations of gelu, including erf, add a few roundings.
Tolerance geluTolerance(const Tolerance& sums, double u) {
  return {1.13 * sums.absolute + 0.4 * sums.relative + 8 * u, sums.relative + 6 * u};
}

/// Returns the tolerance after softmax. The relative error of a weight is exp of the errors of its
/// logit, of the largest logit, and of the rounding of their difference. The f32 sum of a row
/// rounds once per weight. The absolute part covers underflow in the type.
Tolerance softmaxTolerance(const Tolerance& sums, const ErrorModel& errors, double columns) {
  const double u32 = unitRoundoff(ElementType::f32);
  const double largest = errors.largestSum(6);
  const double error = sums.absolute + sums.relative * largest;
  const double weight = std::expm1(2 * error + 2 * u32 * largest);
  const double least = errors.accumulator == ElementType::f16 ? 0x1p-24 : 0x1p-120;
  return {least, weight + 2 * errors.u + u32 * (8 + std::sqrt(columns))};
}

/// Returns the tolerance of attention. With these inputs a score has the standard deviation 1/3, so
/// the weights are nearly equal and a result is a mean over the keys. Errors of single weights thus
/// fall with the square root of the number of keys. In the type, the scaled query, its scale and a
/// weight round; in f32, the sum of a score and its power of two. The f32 sums of weighted values
/// have the usual error of sums.
Tolerance attentionTolerance(const model::Attention& attention) {
  const double u = unitRoundoff(attention.type);
  const double u32 = unitRoundoff(ElementType::f32);
  const double weight = 4 * u + (8 + std::sqrt(static_cast<double>(attention.depth))) * u32;
  const double keys = std::sqrt(static_cast<double>(attention.keys));
  return {weight / keys + 8 * u32, 2 * u + (8 + keys) * u32};
}

}  // namespace

Tolerance toleranceFor(const model::Problem& problem, Values inputs) {
  if (const auto* attention = std::get_if<model::Attention>(&problem)) {
    return attentionTolerance(*attention);
  }
  const ErrorModel errors(problem, inputs);
  const Tolerance sums = sumTolerance(errors);
  switch (findEpilogue(problem).activation) {
    case model::Activation::gelu:
      return geluTolerance(sums, errors.u);
    case model::Activation::softmax:
      return softmaxTolerance(sums, errors, static_cast<double>(resultType(problem).shape.back()));
    case model::Activation::none:
    case model::Activation::relu:
      break;
  }
  return sums;
}

Tolerance toleranceFor(model::ElementType type, double scale) {
  // Builds differ in the order of sums of unknown length over several layers. f32 keeps about half
  // of its digits; 16-bit types, which sum in f32, lose a few roundings.
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

Tolerance agreementTolerance(model::ElementType type, double scale) {
  // Dozens of layers amplify the roundings of each: f32 keeps three digits.
  constexpr double kAmplification = 32;
  return {kAmplification * toleranceFor(type, scale).absolute, 0};
}

}  // namespace hone::verify
