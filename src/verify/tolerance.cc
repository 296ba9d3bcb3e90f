#include "verify/tolerance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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
constexpr double kLargestInteger = 8;

/// Half the distance between 1 and the next number.
double roundingOf(ElementType type) { return std::ldexp(1.0, -precisionOf(type)); }

/// What is known of the problem's inputs and of the type in which it adds.
struct Setting {
  Setting(const model::Problem& problem, bool exactInputs)
      : accumulator(resultOf(problem).element),
        integers(exactInputs || !isFloat(operandsOf(problem)[0].element)),
        length(static_cast<double>(reductionLength(problem))),
        u(roundingOf(accumulator)) {
    if (epilogueOf(problem).bias) {
      bias = exactInputs ? kLargestInteger : 1;
      exactBias = exactInputs;
    }
  }
  /// The largest product, and the standard deviation of one.
  [[nodiscard]] double most() const { return integers ? kLargestInteger * kLargestInteger : 1; }
  [[nodiscard]] double spread() const {
    return integers ? kMeanSquareOfIntegers : kMeanSquareOfReals;
  }
  /// No sum is larger: what the values allow, or so many standard deviations.
  [[nodiscard]] double largestSum(double deviations) const {
    return std::min(most() * length, deviations * spread() * std::sqrt(length)) + bias;
  }
  /// Sums are exact while no partial sum needs more bits than the accumulator has: twelve standard
  /// deviations of a sum of random signs are never reached in practice. The bias is one of them, as
  /// the compiler may start the sum with it.
  [[nodiscard]] bool isExact() const {
    return !isFloat(accumulator) ||
           (integers && exactBias && largestSum(12) <= std::ldexp(1.0, precisionOf(accumulator)));
  }

  ElementType accumulator;
  bool integers;
  double length;
  double u;
  double bias = 0;  ///< the largest
  bool exactBias = true;
};

/// Of the sums and the bias.
Tolerance ofSums(const Setting& setting) {
  if (setting.isExact()) {
    return {};
  }
  // A partial sum of k products has a standard deviation of s * sqrt(k), and each step rounds it
  // by at most u of that; these errors add up like a random walk to u * s * K / sqrt(2). Four
  // times that is ten of the real standard deviations, as the mean rounding is under half of u;
  // the 8 covers few products, for which no statistics hold. The reference adds in f32.
  const double u = setting.u;
  const double both = u + roundingOf(ElementType::f32);
  const double walk = 4 * both * setting.spread() * (setting.length + 8) / std::numbers::sqrt2;
  return {walk + u * setting.bias, setting.bias > 0 ? 3 * u : 2 * u};
}

/// The slope of gelu is at most 1.13; x times the slope is at most 0.4 where x is negative, and
/// there 1 + erf keeps few digits, of which x / 2 (5 in f32, less in other types) takes its part.
/// Its own operations, erf among them, round a few times.
Tolerance afterGelu(const Tolerance& sums, double u) {
  return {1.13 * sums.absolute + 0.4 * sums.relative + 8 * u, sums.relative + 6 * u};
}

/// A weight is off by the factor exp of what its logit and the largest are off by, and of their
/// difference's rounding; the sum of a row of weights rounds with every one of them, in f32, and
/// below the least numbers of the type there is nothing.
Tolerance afterSoftmax(const Tolerance& sums, const Setting& setting, double columns) {
  const double u32 = roundingOf(ElementType::f32);
  const double largest = setting.largestSum(6);
  const double off = sums.absolute + sums.relative * largest;
  const double weight = std::expm1(2 * off + 2 * u32 * largest);
  const double least = setting.accumulator == ElementType::f16 ? 0x1p-24 : 0x1p-120;
  return {least, weight + 2 * setting.u + u32 * (8 + std::sqrt(columns))};
}

/// With these inputs a score has a standard deviation of 1/3, so the weights are nearly even, and
/// a result is a mean of as many values as there are keys: what makes single weights wrong falls
/// with the root of their number. These are, in the type: the rounding of the scaled query, of its
/// scale, and of a weight; in f32, in which all else is done: a score's sum and its power of two.
/// The f32 sums of weighted values are off by what sums are, whatever their length.
Tolerance ofAttention(const model::Attention& attention) {
  const double u = roundingOf(attention.type);
  const double u32 = roundingOf(ElementType::f32);
  const double weight = 4 * u + (8 + std::sqrt(static_cast<double>(attention.depth))) * u32;
  const double keys = std::sqrt(static_cast<double>(attention.keys));
  return {weight / keys + 8 * u32, 2 * u + (8 + keys) * u32};
}

}  // namespace

Tolerance toleranceFor(const model::Problem& problem, bool exactInputs) {
  if (const auto* attention = std::get_if<model::Attention>(&problem)) {
    return ofAttention(*attention);
  }
  const Setting setting(problem, exactInputs);
  const Tolerance sums = ofSums(setting);
  switch (epilogueOf(problem).activation) {
    case model::Activation::gelu:
      return afterGelu(sums, setting.u);
    case model::Activation::softmax:
      return afterSoftmax(sums, setting, static_cast<double>(resultOf(problem).shape.back()));
    case model::Activation::none:
    case model::Activation::relu:
      break;
  }
  return sums;
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
