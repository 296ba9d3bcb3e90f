#include "verify/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/hash.h"

namespace hone::verify {
namespace {

using model::ElementType;
using model::TensorType;

constexpr std::array kAll = {ElementType::f64,  ElementType::f32, ElementType::f16,
                             ElementType::bf16, ElementType::i64, ElementType::i32,
                             ElementType::i16,  ElementType::i8};

TEST(Inputs, SmallIntegersAreEqualInEveryType) {
  const std::vector<double> expected =
      toNumbers<double>(makeInput({{100, 41}, ElementType::f32}, Values::smallIntegers, 7, 1));
  EXPECT_EQ(std::set<double>(expected.begin(), expected.end()),
            (std::set<double>{-8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8}));
  for (const ElementType type : kAll) {
    EXPECT_EQ(toNumbers<double>(makeInput({{100, 41}, type}, Values::smallIntegers, 7, 1)),
              expected)
        << nameOf(type);
  }
}

TEST(Inputs, RealsAreUniform) {
  for (const ElementType type :
       {ElementType::f64, ElementType::f32, ElementType::f16, ElementType::bf16}) {
    const std::vector<double> values =
        toNumbers<double>(makeInput({{20000}, type}, Values::reals, 1, 0));
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
      ASSERT_LE(std::abs(value), 1) << nameOf(type);
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum / 20000, 0, 0.02) << nameOf(type);
    EXPECT_NEAR(squares / 20000, 1.0 / 3, 0.02) << nameOf(type);
  }
}

TEST(Inputs, DifferBySeedAndOperand) {
  const TensorType type{{64, 64}, ElementType::f32};
  std::set<std::vector<double>> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::size_t operand = 0; operand < 4; ++operand) {
      seen.insert(toNumbers<double>(makeInput(type, Values::smallIntegers, seed, operand)));
      seen.insert(toNumbers<double>(makeInput(type, Values::reals, seed, operand)));
    }
  }
  EXPECT_EQ(seen.size(), 32);
}

TEST(Inputs, AreReproducible) {
  Hasher hasher;
  for (const ElementType type : kAll) {
    hasher.bytes(makeInput({{3, 5, 7}, type}, Values::reals, 42, 0).data);
    hasher.bytes(makeInput({{3, 5, 7}, type}, Values::smallIntegers, 42, 1).data);
  }
  EXPECT_EQ(hasher.hex(), "584dcd798dc84416f61fbf5f72b593239a237ee284d358e8eef3bf8cffe4495e");
}

TEST(Inputs, BooleansAreZeroOrOne) {
  const Tensor tensor = makeInput({{1000}, ElementType::i1}, Values::smallIntegers, 3, 0);
  const auto ones = std::count(tensor.data.begin(), tensor.data.end(), std::byte{1});
  const auto zeros = std::count(tensor.data.begin(), tensor.data.end(), std::byte{0});
  EXPECT_EQ(ones + zeros, 1000);
  EXPECT_GT(ones, 400);
  EXPECT_GT(zeros, 400);
}

}  // namespace
}  // namespace hone::verify
