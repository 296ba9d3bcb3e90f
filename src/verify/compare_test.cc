#include "verify/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace hone::verify {
namespace {

using model::ElementType;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <typename Number>
Tensor makeTensor(std::vector<std::int64_t> shape, ElementType type,
                  const std::vector<Number>& values) {
  Tensor tensor{{std::move(shape), type}, std::vector<std::byte>(values.size() * sizeof(Number))};
  std::ranges::copy(std::as_bytes(std::span(values)), tensor.data.begin());
  return tensor;
}

Tensor floats(const std::vector<float>& values) {
  return makeTensor({static_cast<std::int64_t>(values.size())}, ElementType::f32, values);
}

bool same(float actual, float expected, const Tolerance& tolerance) {
  // The second element prevents the shortcut for equal bits.
  return !compare(floats({actual, 1}), floats({expected, 1 + 1e-6F}),
                  {tolerance.absolute + 1e-5, tolerance.relative})
              .value();
}

TEST(Compare, AddsAbsoluteAndRelativeTolerance) {
  EXPECT_TRUE(same(100.9F, 100, {0, 0.01}));
  EXPECT_FALSE(same(101.1F, 100, {0, 0.01}));
  EXPECT_TRUE(same(-0.4F, 0, {0.5, 0}));
  EXPECT_FALSE(same(-0.6F, 0, {0.5, 0}));
  EXPECT_TRUE(same(-101.4F, -100, {0.5, 0.01}));
}

TEST(Compare, NanEqualsOnlyNan) {
  EXPECT_TRUE(same(kNan, -kNan, {}));
  EXPECT_FALSE(same(kNan, 1, {kInfinity, 1}));
  EXPECT_FALSE(same(1, kNan, {1e30, 1}));
  EXPECT_FALSE(same(kNan, kInfinity, {1e30, 1}));
}

TEST(Compare, InfinityEqualsOnlyTheSameInfinity) {
  EXPECT_TRUE(same(kInfinity, kInfinity, {}));
  EXPECT_TRUE(same(-kInfinity, -kInfinity, {1, 1}));
  EXPECT_FALSE(same(kInfinity, -kInfinity, {1e30, 1}));
  EXPECT_FALSE(same(1, kInfinity, {1e30, 1}));
  EXPECT_FALSE(same(kInfinity, 1e38F, {1e30, 1}));
}

TEST(Compare, ReportsWorstElementAndCount) {
  const std::vector<float> expected(6000, 2);
  std::vector<float> actual = expected;
  actual[17] = 2.5;
  actual[4321] = -1;
  actual[5000] = 2.75;
  actual[5001] = 2.01F;
  const auto mismatch = compare(makeTensor({20, 30, 10}, ElementType::f32, actual),
                                makeTensor({20, 30, 10}, ElementType::f32, expected), {0.1, 0});
  ASSERT_TRUE(mismatch && *mismatch);
  EXPECT_EQ((*mismatch)->describe(),
            "element [14,12,1]: got -1, expected 2, tolerance 0.1 (3 of 6000 elements differ)");
  actual[3] = kNan;
  const auto worse = compare(makeTensor({6000}, ElementType::f32, actual),
                             makeTensor({6000}, ElementType::f32, expected), {0.1, 0});
  EXPECT_EQ((*worse)->index, std::vector<std::int64_t>{3});
}

TEST(Compare, AcceptsDifferentTypes) {
  const auto half = makeTensor<std::uint16_t>({2}, ElementType::f16, {0x3c00, 0xc000});  // 1, -2
  EXPECT_FALSE(compare(half, floats({1, -2}), {}).value());
  EXPECT_TRUE(compare(half, floats({1, -2.01F}), {}).value());
  EXPECT_FALSE(compare(makeTensor<std::int8_t>({2}, ElementType::i8, {1, -2}),
                       makeTensor<std::int32_t>({2}, ElementType::i32, {1, -2}), {})
                   .value());
}

TEST(Compare, ComparesInt64Exactly) {
  const std::int64_t large = std::int64_t{1} << 60U;
  EXPECT_TRUE(compare(makeTensor<std::int64_t>({1}, ElementType::i64, {large + 1}),
                      makeTensor<std::int64_t>({1}, ElementType::i64, {large}), {})
                  .value());
  const auto extremes = compare(
      makeTensor<std::int64_t>({1}, ElementType::i64, {std::numeric_limits<std::int64_t>::max()}),
      makeTensor<std::int64_t>({1}, ElementType::i64, {std::numeric_limits<std::int64_t>::min()}),
      {1e18, 0});
  EXPECT_TRUE(extremes.value());
}

TEST(Compare, RejectsDifferentShape) {
  const auto result = compare(floats({1, 2}), floats({1, 2, 3}), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "expected a result of type 3xf32, got 2xf32");
}

TEST(Compare, ScalarHasEmptyIndex) {
  const auto mismatch = compare(makeTensor<float>({}, ElementType::f32, {1}),
                                makeTensor<float>({}, ElementType::f32, {2}), {});
  EXPECT_EQ((*mismatch)->describe(),
            "element []: got 1, expected 2, tolerance 0 (1 of 1 elements differ)");
}

TEST(LargestMagnitude, IgnoresNanAndInfinities) {
  EXPECT_EQ(largestMagnitude(floats({1, -7, kNan, -kInfinity, 3})), 7);
  EXPECT_EQ(largestMagnitude(floats({})), 0);
}

}  // namespace
}  // namespace hone::verify
