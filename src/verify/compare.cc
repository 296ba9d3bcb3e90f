#include "verify/compare.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace hone::verify {
namespace {

using model::ElementType;

constexpr std::size_t kBlock = 2048;  // two blocks fit into the L1 cache
constexpr double kMaxDouble = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double distance(double a, double b) { return std::abs(a - b); }
double distance(float a, float b) { return std::abs(double{a} - double{b}); }
double distance(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  return static_cast<double>(a > b ? x - y : y - x);
}

/// Returns the tolerance at an element. Finite, so that an infinite distance always exceeds it.
double allowedAt(double expected, const Tolerance& tolerance) {
  const double allowed = tolerance.absolute + tolerance.relative * std::abs(expected);
  return allowed < kMaxDouble ? allowed : kMaxDouble;
}

template <typename Number>
bool differs(Number actual, Number expected, const Tolerance& tolerance) {
  const bool near =
      distance(actual, expected) <= allowedAt(static_cast<double>(expected), tolerance);
  const bool bothNan = std::isnan(actual) && std::isnan(expected);
  return !near && actual != expected && !bothNan;
}

/// Returns true if all elements are clearly within tolerance. Uses f32 so that the loop vectorizes
/// on baseline x86-64. Conservative: reduces the tolerance by more than the f32 rounding, and
/// rejects equal infinities and NaNs. Rejected blocks are compared exactly afterwards.
bool allNear(std::span<const float> actual, std::span<const float> expected,
             const Tolerance& tolerance) {
  constexpr double kMargin = 1 - 0x1p-20;
  constexpr float kMaxFloat = std::numeric_limits<float>::max();
  const auto absolute =
      static_cast<float>(std::min<double>(tolerance.absolute * kMargin, kMaxFloat));
  const auto relative =
      static_cast<float>(std::min<double>(tolerance.relative * kMargin, kMaxFloat));
  std::int32_t far = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const float sum = absolute + relative * std::abs(expected[i]);
    const float allowed = sum < kMaxFloat ? sum : kMaxFloat;
    far |= std::abs(actual[i] - expected[i]) <= allowed ? 0 : 1;
  }
  return far == 0;
}
template <typename Number>
bool allNear(std::span<const Number> /*actual*/, std::span<const Number> /*expected*/,
             const Tolerance& /*tolerance*/) {
  return false;
}

/// Returns the distance beyond the tolerance.
template <typename Number>
double excess(Number actual, Number expected, const Tolerance& tolerance) {
  const double over =
      distance(actual, expected) - allowedAt(static_cast<double>(expected), tolerance);
  return std::isnan(over) ? kInfinity : over;
}

/// Compares two tensors block by block and keeps the worst element.
template <typename Number>
class BlockComparison {
 public:
  BlockComparison(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance)
      : actual_(actual), expected_(expected), tolerance_(tolerance) {}

  void block(std::size_t begin, std::size_t size) {
    if (sameBits(begin, size)) {
      return;
    }
    const std::span<Number> actual = std::span(actualBlock_).first(size);
    const std::span<Number> expected = std::span(expectedBlock_).first(size);
    readElements(actual_, begin, actual);
    readElements(expected_, begin, expected);
    if (!allNear(std::span<const Number>(actual), std::span<const Number>(expected), tolerance_)) {
      recordDifferences(begin, size);
    }
  }
  [[nodiscard]] std::optional<Mismatch> mismatch() const;

 private:
  [[nodiscard]] bool sameBits(std::size_t begin, std::size_t size) const {
    const std::size_t bytes = byteWidth(actual_.type.element);
    return actual_.type.element == expected_.type.element &&
           std::memcmp(actual_.data.data() + begin * bytes, expected_.data.data() + begin * bytes,
                       size * bytes) == 0;
  }
  void recordDifferences(std::size_t begin, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      if (!differs(actualBlock_[i], expectedBlock_[i], tolerance_)) {
        continue;
      }
      ++wrong_;
      const double over = excess(actualBlock_[i], expectedBlock_[i], tolerance_);
      if (over > worstExcess_) {
        worstExcess_ = over;
        worstAt_ = begin + i;
        worstActual_ = static_cast<double>(actualBlock_[i]);
        worstExpected_ = static_cast<double>(expectedBlock_[i]);
      }
    }
  }

  const Tensor& actual_;
  const Tensor& expected_;
  const Tolerance& tolerance_;
  std::array<Number, kBlock> actualBlock_{};
  std::array<Number, kBlock> expectedBlock_{};
  std::int64_t wrong_ = 0;
  double worstExcess_ = -kInfinity;
  std::size_t worstAt_ = 0;
  double worstActual_ = 0;
  double worstExpected_ = 0;
};

template <typename Number>
std::optional<Mismatch> BlockComparison<Number>::mismatch() const {
  if (wrong_ == 0) {
    return std::nullopt;
  }
  const std::vector<std::int64_t>& shape = actual_.type.shape;
  std::vector<std::int64_t> index(shape.size());
  auto remaining = static_cast<std::int64_t>(worstAt_);
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = remaining % shape[dim];
    remaining /= shape[dim];
  }
  return Mismatch{index,          worstActual_,
                  worstExpected_, allowedAt(worstExpected_, tolerance_),
                  wrong_,         actual_.type.count()};
}

bool fitsFloat(ElementType type) { return isFloat(type) && type != ElementType::f64; }

template <typename Number>
std::optional<Mismatch> compareAs(const Tensor& actual, const Tensor& expected,
                                  const Tolerance& tolerance) {
  BlockComparison<Number> comparison(actual, expected, tolerance);
  const auto count = static_cast<std::size_t>(actual.type.count());
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    comparison.block(begin, std::min(kBlock, count - begin));
  }
  return comparison.mismatch();
}

}  // namespace

std::string Mismatch::describe() const {
  return fmt::format(
      "element [{}]: got {:.9g}, expected {:.9g}, tolerance {:.3g} ({} of {} elements differ)",
      fmt::join(index, ","), actual, expected, allowed, wrong, count);
}

Result<std::optional<Mismatch>> compare(const Tensor& actual, const Tensor& expected,
                                        const Tolerance& tolerance) {
  if (actual.type.shape != expected.type.shape) {
    return userError("expected a result of type {}, got {}", expected.type.text(),
                     actual.type.text());
  }
  for (const Tensor* tensor : {&actual, &expected}) {
    if (tensor->data.size() != tensor->type.bytes()) {
      return userError("expected {} with {} bytes, got {}", tensor->type.text(),
                       tensor->type.bytes(), tensor->data.size());
    }
  }
  if (!isFloat(actual.type.element) && !isFloat(expected.type.element)) {
    return compareAs<std::int64_t>(actual, expected, tolerance);
  }
  return fitsFloat(actual.type.element) && fitsFloat(expected.type.element)
             ? compareAs<float>(actual, expected, tolerance)
             : compareAs<double>(actual, expected, tolerance);
}

double largestMagnitude(const Tensor& tensor) {
  std::array<double, kBlock> block{};
  double magnitude = 0;
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = std::min(kBlock, count - begin);
    readElements(tensor, begin, std::span(block).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      const double value = std::abs(block[i]);
      magnitude = value > magnitude && value < kInfinity ? value : magnitude;
    }
  }
  return magnitude;
}

Result<std::optional<Tolerance>> toleranceBetween(const Tensor& baseline, const Tensor& reference) {
  // Other builds sum in another order: their error is about as large, not the same.
  constexpr double kMargin = 4;
  const double scale = largestMagnitude(reference);
  const Tolerance agreed = agreementTolerance(reference.type.element, scale);
  if (HONE_TRY(compare(baseline, reference, agreed))) {
    return std::nullopt;
  }
  const auto mismatch = HONE_TRY(compare(baseline, reference, {}));
  const double difference = mismatch ? std::abs(mismatch->actual - mismatch->expected) : 0;
  const double least = toleranceFor(reference.type.element, scale).absolute;
  return Tolerance{std::max(least, std::isfinite(difference) ? kMargin * difference : 0), 0};
}

}  // namespace hone::verify
