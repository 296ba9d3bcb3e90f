#include "kernel/judge/verify/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone::kernel {
namespace {

using model::ElementType;

/// Rounding units and range of an element type.
struct Precision {
  double sums;      ///< rounding unit of the type used for sums
  double results;   ///< rounding unit of a 16-bit result; 0 for other types
  double smallest;  ///< smaller magnitudes may become zero
  double largest;   ///< largest finite value
};

Precision findPrecision(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return {0x1p-53, 0, 0x1p-1022, std::numeric_limits<double>::max()};
    case ElementType::f16:
      return {0x1p-24, 0x1p-11, 0x1p-24, 65504};
    case ElementType::bf16:
      return {0x1p-24, 0x1p-8, 0x1p-126, 0x1.fep127};
    default:
      return {0x1p-24, 0, 0x1p-126, std::numeric_limits<float>::max()};
  }
}

/// Raises each element of `scale` to the root mean square of its line along every dimension.
void raiseToLines(const std::vector<double>& values, const std::vector<std::int64_t>& shape,
                  std::vector<double>& scale) {
  std::size_t inner = 1;
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    const auto length = static_cast<std::size_t>(shape[dim]);
    std::vector<double> lines(inner);
    for (std::size_t begin = 0; begin < values.size(); begin += inner * length) {
      std::ranges::fill(lines, 0.0);
      for (std::size_t i = 0; i < length; ++i) {
        const double* row = values.data() + begin + i * inner;
        for (std::size_t at = 0; at < inner; ++at) {
          const double square = row[at] * row[at];
          lines[at] += square < std::numeric_limits<double>::infinity() ? square : 0;
        }
      }
      for (double& line : lines) {
        line = std::sqrt(line / static_cast<double>(length));
      }
      for (std::size_t i = 0; i < length; ++i) {
        double* row = scale.data() + begin + i * inner;
        for (std::size_t at = 0; at < inner; ++at) {
          row[at] = std::max(row[at], lines[at]);
        }
      }
    }
    inner *= length;
  }
}

/// Returns true if the type may have rounded the expected value to infinity.
bool overflows(double actual, double expected, const Precision& precision) {
  constexpr double kNearLimit = 0.999;
  return std::abs(expected) >= precision.largest * kNearLimit &&
         std::abs(actual) >= precision.largest * kNearLimit &&
         std::signbit(actual) == std::signbit(expected);
}

OutputComparison compareIntegers(const verify::Tensor& actual,
                                 const std::vector<double>& expected) {
  OutputComparison compared;
  const std::vector<double> numbers = verify::toNumbers<double>(actual);
  compared.count = static_cast<std::int64_t>(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != expected[i] && !std::isnan(expected[i])) {
      if (compared.wrong++ == 0) {
        compared.element = static_cast<std::int64_t>(i);
        compared.actual = numbers[i];
        compared.expected = expected[i];
        compared.worst = std::abs(numbers[i] - expected[i]);
      }
    }
  }
  return compared;
}

}  // namespace

std::vector<double> errorScales(const std::vector<double>& expected,
                                const std::vector<std::int64_t>& shape,
                                const std::vector<double>* condition) {
  std::vector<double> scales(expected.size());
  const auto raise = [&](const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double magnitude = std::abs(values[i]);
      scales[i] = std::isfinite(magnitude) ? std::max(scales[i], magnitude) : scales[i];
    }
    raiseToLines(values, shape, scales);
  };
  raise(expected);
  if (condition != nullptr) {
    raise(*condition);
  }
  return scales;
}

double allowedRoundings(double length, bool randomNumbers) {
  const double walk = 4 * std::sqrt(length);
  return 8 + (randomNumbers ? walk : std::max(walk, length));
}

OutputComparison compareOutput(const verify::Tensor& actual, const std::vector<double>& expected,
                               const std::vector<double>& scales, double roundings) {
  const ElementType type = actual.type.element;
  if (!isFloat(type)) {
    return compareIntegers(actual, expected);
  }
  const Precision precision = findPrecision(type);
  const std::vector<double> numbers = verify::toNumbers<double>(actual);
  const double factor = precision.sums * roundings + 4 * precision.results;
  OutputComparison compared;
  compared.count = static_cast<std::int64_t>(numbers.size());
  compared.allowed = factor;
  double worstRatio = -1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(expected[i]) || numbers[i] == expected[i] ||
        overflows(numbers[i], expected[i], precision)) {
      continue;
    }
    const double error = std::abs(numbers[i] - expected[i]);
    const double allowed = factor * (scales[i] + 2 * precision.smallest / precision.sums);
    const double ratio =
        std::isnan(error) ? std::numeric_limits<double>::infinity() : error / allowed;
    compared.wrong += ratio <= 1 ? 0 : 1;
    if (ratio > worstRatio) {
      worstRatio = ratio;
      compared.worst = ratio * factor;
      compared.element = static_cast<std::int64_t>(i);
      compared.actual = numbers[i];
      compared.expected = expected[i];
    }
  }
  return compared;
}

}  // namespace hone::kernel
