#include "verify/tolerance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "verify/compare.h"
#include "verify/inputs.h"
#include "verify/reference.h"
#include "verify/tensor/half.h"
#include "verify/test_naive.h"

namespace hone::verify {
namespace {

using model::ElementType;
using model::Matmul;
using model::Problem;

constexpr std::uint64_t kSeed = 5;

Matmul squareMatmul(std::int64_t size, std::int64_t k, ElementType input, ElementType result) {
  return {.m = size, .n = size, .k = k, .lhs = input, .rhs = input, .result = result};
}

struct Case {
  ElementType input;
  ElementType result;
  Values values;
};

/// Simulates miscompiled tiles by changing the left operand.
class Mutations : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::int64_t kSize = 32;
  static constexpr std::int64_t kLength = 2048;

  [[nodiscard]] bool caught(const std::vector<Tensor>& mutated) const {
    const auto expected = computeReference(problem_, inputs_);
    const auto actual = computeReference(problem_, mutated);
    const auto tolerance = toleranceFor(problem_, GetParam().values);
    return compare(actual.value(), expected.value(), tolerance).value().has_value();
  }
  std::byte* lhsAt(std::vector<Tensor>& inputs, std::int64_t m, std::int64_t k) const {
    const auto bytes = static_cast<std::int64_t>(byteWidth(GetParam().input));
    return inputs[0].data.data() + (m * kLength + k) * bytes;
  }

  Problem problem_ = squareMatmul(kSize, kLength, GetParam().input, GetParam().result);
  std::vector<Tensor> inputs_ = makeInputs(problem_, GetParam().values, kSeed);
};

TEST_P(Mutations, AcceptsCorrectResult) { EXPECT_FALSE(caught(inputs_)); }

TEST_P(Mutations, DetectsDroppedTerm) {
  std::vector<Tensor> mutated = inputs_;
  for (std::int64_t m = 0; m < kSize; ++m) {
    std::memset(lhsAt(mutated, m, kLength - 1), 0, byteWidth(GetParam().input));
  }
  EXPECT_TRUE(caught(mutated));
}

TEST_P(Mutations, DetectsDroppedTermInOneRow) {
  std::vector<Tensor> mutated = inputs_;
  std::memset(lhsAt(mutated, 7, 100), 0, byteWidth(GetParam().input));
  EXPECT_TRUE(caught(mutated));
}

TEST_P(Mutations, DetectsSwappedRows) {
  std::vector<Tensor> mutated = inputs_;
  std::swap_ranges(lhsAt(mutated, 3, 0), lhsAt(mutated, 4, 0), lhsAt(mutated, 4, 0));
  EXPECT_TRUE(caught(mutated));
}

TEST_P(Mutations, DetectsShiftByOne) {
  std::vector<Tensor> mutated = inputs_;
  std::rotate(mutated[0].data.begin(),
              mutated[0].data.begin() + static_cast<std::ptrdiff_t>(byteWidth(GetParam().input)),
              mutated[0].data.end());
  EXPECT_TRUE(caught(mutated));
}

INSTANTIATE_TEST_SUITE_P(
    Types, Mutations,
    testing::Values(Case{ElementType::f32, ElementType::f32, Values::reals},
                    Case{ElementType::f32, ElementType::f32, Values::smallIntegers},
                    Case{ElementType::f16, ElementType::f32, Values::reals},
                    Case{ElementType::bf16, ElementType::f32, Values::reals},
                    Case{ElementType::bf16, ElementType::f32, Values::smallIntegers},
                    Case{ElementType::i8, ElementType::i32, Values::smallIntegers}),
    [](const auto& info) {
      return fmt::format("{}_{}_{}", nameOf(info.param.input), nameOf(info.param.result),
                         info.param.values == Values::reals ? "reals" : "integers");
    });

/// Computes the sum of a matmul with a 16-bit result: rounds after every product and sum.
std::vector<double> roundedSums(const Matmul& matmul, const std::vector<Tensor>& inputs,
                                bool fused) {
  const auto round = [&](float value) {
    return matmul.result == ElementType::f16    ? fromHalf(toHalf(value))
           : matmul.result == ElementType::bf16 ? fromBfloat(toBfloat(value))
                                                : value;
  };
  std::vector<float> lhs(static_cast<std::size_t>(matmul.m * matmul.k));
  std::vector<float> rhs(static_cast<std::size_t>(matmul.k * matmul.n));
  readElements(inputs[0], 0, lhs);
  readElements(inputs[1], 0, rhs);
  std::vector<double> result;
  for (std::int64_t m = 0; m < matmul.m; ++m) {
    for (std::int64_t n = 0; n < matmul.n; ++n) {
      float sum = 0;
      for (std::int64_t k = 0; k < matmul.k; ++k) {
        const float product = lhs[static_cast<std::size_t>(m * matmul.k + k)] *
                              rhs[static_cast<std::size_t>(k * matmul.n + n)];
        sum = round(sum + (fused ? product : round(product)));
      }
      result.push_back(sum);
    }
  }
  return result;
}

std::optional<Mismatch> compareRoundedSums(const Matmul& matmul, Values values, bool fused) {
  const std::vector<Tensor> inputs = makeInputs(matmul, values, kSeed);
  const std::vector<double> sums = roundedSums(matmul, inputs, fused);
  Tensor actual{{{matmul.m, matmul.n}, ElementType::f64}, {}};
  actual.data.resize(sums.size() * sizeof(double));
  std::memcpy(actual.data.data(), sums.data(), actual.data.size());
  return compare(actual, computeReference(matmul, inputs).value(), toleranceFor(matmul, values))
      .value();
}

TEST(Tolerance, AllowsRoundingOfEveryStep) {
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    for (const std::int64_t k : {1, 2, 3, 4, 5, 8, 16, 32, 44, 45, 100, 1000, 4000}) {
      for (const Values values : {Values::reals, Values::smallIntegers}) {
        for (const bool fused : {true, false}) {
          const Matmul matmul = squareMatmul(40, k, type, type);
          const auto mismatch = compareRoundedSums(matmul, values, fused);
          EXPECT_FALSE(mismatch) << model::nameOf(Problem(matmul)) << ": " << mismatch->describe();
        }
      }
    }
  }
}

TEST(Tolerance, IsZeroForExactSums) {
  const auto isExact = [](ElementType input, ElementType result, std::int64_t k, Values inputs) {
    const Tolerance tolerance = toleranceFor(squareMatmul(8, k, input, result), inputs);
    return tolerance.absolute == 0 && tolerance.relative == 0;
  };
  EXPECT_TRUE(isExact(ElementType::i8, ElementType::i32, 1 << 20, Values::reals));
  EXPECT_TRUE(isExact(ElementType::f32, ElementType::f32, 1 << 20, Values::smallIntegers));
  EXPECT_TRUE(isExact(ElementType::bf16, ElementType::f32, 1 << 20, Values::smallIntegers));
  EXPECT_FALSE(isExact(ElementType::f32, ElementType::f32, 1 << 20, Values::reals));
  EXPECT_TRUE(isExact(ElementType::f16, ElementType::f16, 32, Values::smallIntegers));
  EXPECT_FALSE(isExact(ElementType::f16, ElementType::f16, 64, Values::smallIntegers));
  EXPECT_FALSE(isExact(ElementType::bf16, ElementType::bf16, 8, Values::smallIntegers));
}

TEST(Tolerance, DetectsWrongRowIn16BitSums) {
  // Two unrelated sums of K products differ by about sqrt(2 K) / 3, for at most a thousand
  // products.
  for (const std::int64_t k : {64, 256, 1024, 4096}) {
    const double spread = std::sqrt(2.0 * static_cast<double>(k)) / 3;
    EXPECT_LT(toleranceFor(squareMatmul(8, k, ElementType::f16, ElementType::f16), Values::reals)
                  .absolute,
              spread / 4);
    EXPECT_LT(toleranceFor(squareMatmul(8, k, ElementType::bf16, ElementType::bf16), Values::reals)
                  .absolute,
              spread);
  }
}

TEST(Tolerance, BetweenBuildsDependsOnTypeAndScale) {
  EXPECT_EQ(toleranceFor(ElementType::i32, 1000).absolute, 0);
  EXPECT_LT(toleranceFor(ElementType::f32, 1).absolute, 1e-4);
  EXPECT_LT(toleranceFor(ElementType::f64, 1).absolute, toleranceFor(ElementType::f32, 1).absolute);
  EXPECT_LT(toleranceFor(ElementType::f32, 1).absolute, toleranceFor(ElementType::f16, 1).absolute);
  EXPECT_EQ(toleranceFor(ElementType::f16, 10).absolute,
            10 * toleranceFor(ElementType::f16, 1).absolute);
}

}  // namespace
}  // namespace hone::verify
