#include "kernel/judge/verify/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/source/test_kernels.h"

namespace hone::kernel {
namespace {

using model::ElementType;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

verify::Tensor makeTensor(const std::vector<double>& values, ElementType type = ElementType::f32,
                          std::vector<std::int64_t> shape = {}) {
  if (shape.empty()) {
    shape = {static_cast<std::int64_t>(values.size())};
  }
  verify::Tensor tensor{{shape, type}, {}};
  tensor.data.resize(tensor.type.bytes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    storeNumber(tensor, i, values[i]);
  }
  return tensor;
}

OutputComparison compared(const verify::Tensor& actual, const std::vector<double>& expected,
                          double length = 1, const std::vector<double>* condition = nullptr) {
  return compareOutput(actual, expected, errorScales(expected, actual.type.shape, condition),
                       allowedRoundings(length, true));
}

bool near(const std::vector<double>& actual, const std::vector<double>& expected, double length = 1,
          ElementType type = ElementType::f32) {
  return compared(makeTensor(actual, type), expected, length).ok();
}

TEST(ErrorBound, AllowsOnlyRounding) {
  EXPECT_TRUE(near({1, 2, 3}, {1, 2, 3}));
  EXPECT_TRUE(near({1 + 6e-7}, {1}));
  EXPECT_FALSE(near({1 + 2e-6}, {1}));
  EXPECT_TRUE(near({1 + 2e-6}, {1}, 100));
  EXPECT_FALSE(near({1, 2, 3.001}, {1, 2, 3}, 1000));
  EXPECT_FALSE(near({kNan}, {1}));
  EXPECT_FALSE(near({kInfinity}, {1}));
  EXPECT_FALSE(near({-1}, {1}));
}

TEST(ErrorBound, CountsWrongElementsAndReportsWorst) {
  const OutputComparison found = compared(makeTensor({1, 5, 3, 9}), {1, 2, 3, 4});
  EXPECT_EQ(found.wrong, 2);
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.element, 3);
  EXPECT_EQ(found.actual, 9);
  EXPECT_EQ(found.expected, 4);
  EXPECT_GT(found.worst, found.allowed);
}

TEST(ErrorBound, AllowsCancellationNextToLargeElements) {
  // The error of a sum scales with its terms, whose magnitude its neighbours show.
  EXPECT_TRUE(near({1000, 2e-4}, {1000, 0}));
  EXPECT_FALSE(near({1000, 0.5}, {1000, 0}));
  // Along any dimension; here the first.
  const auto actual = makeTensor({1000, 1, 2e-4, 1}, ElementType::f32, {2, 2});
  EXPECT_TRUE(compared(actual, {1000, 1, 0, 1}).ok());
}

TEST(ErrorBound, AllowsMoreForSensitiveElements) {
  const std::vector<double> condition = {1000};
  EXPECT_FALSE(near({1e-4}, {0}));
  EXPECT_TRUE(compared(makeTensor({1e-4}), {0}, 1, &condition).ok());
  EXPECT_FALSE(compared(makeTensor({1e-2}), {0}, 1, &condition).ok());
}

TEST(ErrorBound, HandlesRangeOfType) {
  EXPECT_TRUE(near({kInfinity}, {1e39}));
  EXPECT_FALSE(near({-kInfinity}, {1e39}));
  EXPECT_FALSE(near({3}, {1e39}));
  EXPECT_TRUE(near({12345}, {kNan}));  // the reference is undefined here
  EXPECT_TRUE(near({0}, {1e-39}));     // flushed to zero
  EXPECT_FALSE(near({0}, {1e-30}));
}

TEST(ErrorBound, AllowsMoreForSmallTypes) {
  EXPECT_TRUE(near({1.001}, {1}, 1, ElementType::f16));
  EXPECT_FALSE(near({1.01}, {1}, 1, ElementType::f16));
  EXPECT_TRUE(near({1.01}, {1}, 1, ElementType::bf16));
  EXPECT_FALSE(near({1.05}, {1}, 1, ElementType::bf16));
  EXPECT_FALSE(near({1 + 1e-12}, {1}, 1, ElementType::f64));
}

TEST(ErrorBound, RequiresEqualIntegers) {
  EXPECT_TRUE(near({1, -7}, {1, -7}, 1000, ElementType::i32));
  const OutputComparison found = compared(makeTensor({1, -7}, ElementType::i32), {1, -6}, 1000);
  EXPECT_EQ(found.wrong, 1);
  EXPECT_EQ(found.element, 1);
}

TEST(ErrorBound, AllowsBiasedErrorsOfEqualNumbers) {
  // Sequential sum of a constant that f32 cannot represent exactly: the errors do not cancel.
  constexpr int kLength = 4096;
  float sum = 0;
  for (int i = 0; i < kLength; ++i) {
    sum += 0.7F;
  }
  const std::vector<double> expected = {kLength * static_cast<double>(0.7F)};
  const auto scales = errorScales(expected, {1});
  EXPECT_TRUE(
      compareOutput(makeTensor({sum}), expected, scales, allowedRoundings(kLength, false)).ok());
  EXPECT_EQ(allowedRoundings(100, true), 48);
  EXPECT_EQ(allowedRoundings(100, false), 108);
  EXPECT_EQ(allowedRoundings(4, false), 16);
}

/// Sequential f32 sums, the least exact way to add, of values of both kinds.
TEST(ErrorBound, HoldsForSequentialSums) {
  Random random(1);
  for (const std::size_t length : {10U, 480U, 4096U, 65536U}) {
    for (const double low : {-1.0, 0.0}) {
      std::vector<double> actual;
      std::vector<double> expected;
      for (int row = 0; row < 20; ++row) {
        float sum = 0;
        double exact = 0;
        for (std::size_t i = 0; i < length; ++i) {
          const auto a = static_cast<float>(low + (1 - low) * random.uniform());
          const auto b = static_cast<float>(low + (1 - low) * random.uniform());
          sum += a * b;
          exact += double{a} * b;
        }
        actual.push_back(sum);
        expected.push_back(exact);
      }
      const OutputComparison found =
          compared(makeTensor(actual), expected, static_cast<double>(length));
      EXPECT_TRUE(found.ok()) << length;
      EXPECT_LT(found.worst, found.allowed / 2) << length << " from " << low;
    }
  }
}

}  // namespace
}  // namespace hone::kernel
