#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "verify/compare.h"
#include "verify/reference.h"
#include "verify/tensor/half.h"
#include "verify/test_naive.h"

namespace hone::verify {
namespace {

using model::Activation;
using model::Attention;
using model::ElementType;
using model::Epilogue;
using model::Matmul;
using model::Problem;

/// Rounds to a type, like every step of a computation in it.
class RoundTo {
 public:
  explicit RoundTo(ElementType type) : type_(type) {}
  double operator()(double value) const {
    const auto single = static_cast<float>(value);
    return type_ == ElementType::f16    ? fromHalf(toHalf(single))
           : type_ == ElementType::bf16 ? fromBfloat(toBfloat(single))
                                        : single;
  }

 private:
  ElementType type_;
};

/// Computes softmax in f32, rounded to the type.
void roundedSoftmax(std::vector<double>& values, std::size_t columns, const RoundTo& in) {
  const RoundTo f32(ElementType::f32);
  for (std::size_t row = 0; row < values.size(); row += columns) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row);
    const double maximum = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(columns));
    double sum = 0;
    for (std::size_t i = row; i < row + columns; ++i) {
      values[i] = f32(std::exp(f32(values[i] - maximum)));
      sum = f32(sum + values[i]);
    }
    for (std::size_t i = row; i < row + columns; ++i) {
      values[i] = in(f32(values[i] / sum));
    }
  }
}

/// Computes a matmul with every step rounded to the result type, adding the bias first or last.
std::vector<double> roundedMatmul(const Matmul& p, const std::vector<Tensor>& inputs,
                                  bool biasFirst) {
  const RoundTo in(p.result);
  const auto lhs = toNumbers<double>(inputs[0]);
  const auto rhs = toNumbers<double>(inputs[1]);
  const auto bias = p.epilogue.bias ? toNumbers<double>(inputs[2])
                                    : std::vector<double>(static_cast<std::size_t>(p.n), 0.0);
  std::vector<double> values;
  for (std::int64_t m = 0; m < p.m; ++m) {
    for (std::int64_t n = 0; n < p.n; ++n) {
      double sum = biasFirst ? bias[at(n)] : 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        sum = in(sum + in(lhs[at(m * p.k + k)] * rhs[at(k * p.n + n)]));
      }
      sum = biasFirst ? sum : in(sum + bias[at(n)]);
      if (p.epilogue.activation == Activation::gelu) {
        const double erf = in(std::erf(in(sum * in(1 / std::numbers::sqrt2))));
        sum = in(in(sum * 0.5) * in(erf + 1));
      }
      values.push_back(sum);
    }
  }
  if (p.epilogue.activation == Activation::softmax) {
    roundedSoftmax(values, at(p.n), in);
  }
  return values;
}

/// Computes attention like IREE: scales the query in its type for powers of two, rounds weights to
/// the type, and sums in f32.
std::vector<double> roundedAttention(const Attention& p, const std::vector<Tensor>& inputs) {
  const RoundTo in(p.type);
  const RoundTo f32(ElementType::f32);
  const double scale = in(std::numbers::log2e / std::sqrt(static_cast<double>(p.depth)));
  const auto query = toNumbers<double>(inputs[0]);
  const auto key = toNumbers<double>(inputs[1]);
  const auto value = toNumbers<double>(inputs[2]);
  std::vector<double> result;
  std::vector<double> weights(at(p.keys));
  for (std::int64_t row = 0; row < p.batch * p.queries; ++row) {
    const std::int64_t batch = row / p.queries;
    for (std::int64_t k = 0; k < p.keys; ++k) {
      double score = 0;
      for (std::int64_t d = 0; d < p.depth; ++d) {
        const double scaled = in(query[at(row * p.depth + d)] * scale);
        score = f32(score + scaled * key[at((batch * p.keys + k) * p.depth + d)]);
      }
      weights[at(k)] = score;
    }
    const double maximum = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& weight : weights) {
      weight = f32(std::exp2(f32(weight - maximum)));
      sum = f32(sum + weight);
    }
    for (std::int64_t d = 0; d < p.depth; ++d) {
      double out = 0;
      for (std::int64_t k = 0; k < p.keys; ++k) {
        out = f32(out + in(weights[at(k)]) * value[at((batch * p.keys + k) * p.depth + d)]);
      }
      result.push_back(in(f32(out / sum)));
    }
  }
  return result;
}

std::optional<Mismatch> findMismatch(const Problem& problem, const std::vector<Tensor>& inputs,
                                     const std::vector<double>& actual) {
  return compare(resultTensor(problem, actual), computeReference(problem, inputs).value(),
                 toleranceFor(problem, valuesFor(problem)))
      .value();
}

Matmul fusedMatmul(std::int64_t n, std::int64_t k, ElementType input, ElementType result,
                   const Epilogue& epilogue) {
  return {
      .m = 24, .n = n, .k = k, .lhs = input, .rhs = input, .result = result, .epilogue = epilogue};
}

constexpr std::array kFloats = {ElementType::f32, ElementType::f16, ElementType::bf16};

TEST(EpilogueTolerance, AllowsRoundingOfEveryStep) {
  for (const ElementType type : kFloats) {
    for (const auto activation : {Activation::relu, Activation::gelu, Activation::softmax}) {
      for (const std::int64_t k : {1, 3, 16, 100, 700}) {
        for (const bool biasFirst : {false, true}) {
          const Matmul matmul = fusedMatmul(40, k, type, type, {true, activation});
          const auto inputs = makeInputs(matmul, valuesFor(matmul));
          auto actual = roundedMatmul(matmul, inputs, biasFirst);
          if (activation == Activation::relu) {
            std::ranges::replace_if(actual, [](double x) { return x < 0; }, 0.0);
          }
          const auto mismatch = findMismatch(matmul, inputs, actual);
          EXPECT_FALSE(mismatch) << nameOf(matmul) << ": " << mismatch->describe();
        }
      }
    }
  }
}

TEST(EpilogueTolerance, AllowsRoundingOfLongRow) {
  const Matmul matmul = fusedMatmul(20000, 8, ElementType::f32, ElementType::f32,
                                    {.activation = Activation::softmax});
  const auto inputs = makeInputs(matmul, Values::reals);
  const auto mismatch = findMismatch(matmul, inputs, roundedMatmul(matmul, inputs, false));
  EXPECT_FALSE(mismatch) << mismatch->describe();
}

TEST(EpilogueTolerance, AllowsRoundingOfAttention) {
  for (const ElementType type : kFloats) {
    for (const std::int64_t keys : {1, 2, 9, 64, 1000}) {
      for (const std::int64_t depth : {1, 16, 80}) {
        const Attention attention{
            .batch = 2, .queries = 10, .keys = keys, .depth = depth, .type = type};
        const auto inputs = makeInputs(attention, Values::reals);
        const auto mismatch = findMismatch(attention, inputs, roundedAttention(attention, inputs));
        EXPECT_FALSE(mismatch) << nameOf(attention) << ": " << mismatch->describe();
      }
    }
  }
}

/// A possible miscompile, simulated in exact loops.
struct Defect {
  std::string name;
  Epilogue epilogue;
  std::function<std::vector<double>(const Matmul&, std::vector<Tensor>)> compute;
};

void clear(Tensor& tensor) { std::ranges::fill(tensor.data, std::byte{0}); }

/// Omits one product of one row.
std::vector<double> droppedProduct(const Matmul& matmul, std::vector<Tensor> inputs) {
  const std::size_t bytes = byteWidth(matmul.lhs);
  const auto from = inputs[0].data.begin() + static_cast<std::ptrdiff_t>(5 * bytes);
  std::fill(from, from + static_cast<std::ptrdiff_t>(bytes), std::byte{0});
  return naive(matmul, inputs);
}
std::vector<double> missingBias(const Matmul& matmul, std::vector<Tensor> inputs) {
  clear(inputs[2]);
  return naive(matmul, inputs);
}
std::vector<double> otherActivation(Matmul matmul, const std::vector<Tensor>& inputs,
                                    Activation activation) {
  matmul.epilogue.activation = activation;
  return naive(matmul, inputs);
}
/// Normalizes each row by a sum that lacks the last column.
std::vector<double> shortRow(const Matmul& matmul, const std::vector<Tensor>& inputs) {
  std::vector<double> values = naive(matmul, inputs);
  for (std::size_t row = 0; row < values.size(); row += at(matmul.n)) {
    const double sum = 1 - values[row + at(matmul.n) - 1];
    for (std::size_t i = row; i < row + at(matmul.n); ++i) {
      values[i] /= sum;
    }
  }
  return values;
}
std::vector<double> unnormalized(const Matmul& matmul, const std::vector<Tensor>& inputs) {
  std::vector<double> values = otherActivation(matmul, inputs, Activation::none);
  std::ranges::transform(values, values.begin(), [](double x) { return std::exp(x); });
  return values;
}
std::vector<double> tanhGelu(const Matmul& matmul, const std::vector<Tensor>& inputs) {
  std::vector<double> values = otherActivation(matmul, inputs, Activation::none);
  std::ranges::transform(values, values.begin(), [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  });
  return values;
}

const Epilogue kBiasRelu{true, Activation::relu};
const Epilogue kBiasGelu{true, Activation::gelu};
const Epilogue kBiasSoftmax{true, Activation::softmax};

std::vector<Defect> defects() {
  return {{"dropped product, relu", kBiasRelu, droppedProduct},
          {"dropped product, gelu", kBiasGelu, droppedProduct},
          {"dropped product, softmax", kBiasSoftmax, droppedProduct},
          {"missing bias, relu", kBiasRelu, missingBias},
          {"missing bias, gelu", kBiasGelu, missingBias},
          {"missing bias, softmax", kBiasSoftmax, missingBias},
          {"no relu", kBiasRelu,
           [](const Matmul& p, const std::vector<Tensor>& inputs) {
             return otherActivation(p, inputs, Activation::none);
           }},
          {"relu for gelu", kBiasGelu,
           [](const Matmul& p, const std::vector<Tensor>& inputs) {
             return otherActivation(p, inputs, Activation::relu);
           }},
          {"a short row", kBiasSoftmax, shortRow},
          {"unnormalized", kBiasSoftmax, unnormalized}};
}

TEST(EpilogueTolerance, DetectsDefects) {
  using enum ElementType;
  for (const auto& [input, result, k] :
       std::vector<std::tuple<ElementType, ElementType, std::int64_t>>{
           {f32, f32, 64}, {f32, f32, 1024}, {f16, f32, 512}, {bf16, f32, 512}, {f16, f16, 32}}) {
    for (const Defect& defect : defects()) {
      const Matmul matmul = fusedMatmul(16, k, input, result, defect.epilogue);
      const auto inputs = makeInputs(matmul, valuesFor(matmul));
      EXPECT_FALSE(findMismatch(matmul, inputs, naive(matmul, inputs))) << nameOf(matmul);
      EXPECT_TRUE(findMismatch(matmul, inputs, defect.compute(matmul, inputs)))
          << defect.name << " in " << nameOf(matmul);
    }
  }
}

TEST(EpilogueTolerance, DetectsLargeDefectsInBf16) {
  for (const Defect& defect : defects()) {
    const bool small = defect.name.starts_with("dropped") || defect.name.starts_with("a short");
    const Matmul matmul =
        fusedMatmul(16, 16, ElementType::bf16, ElementType::bf16, defect.epilogue);
    const auto inputs = makeInputs(matmul, valuesFor(matmul));
    EXPECT_FALSE(findMismatch(matmul, inputs, naive(matmul, inputs))) << nameOf(matmul);
    if (!small) {
      EXPECT_TRUE(findMismatch(matmul, inputs, defect.compute(matmul, inputs)))
          << defect.name << " in " << nameOf(matmul);
    }
  }
}

TEST(EpilogueTolerance, DistinguishesGelusInF32) {
  const Matmul matmul = fusedMatmul(16, 64, ElementType::f32, ElementType::f32, kBiasGelu);
  const auto inputs = makeInputs(matmul, Values::reals);
  EXPECT_TRUE(findMismatch(matmul, inputs, tanhGelu(matmul, inputs)));
}

/// Computes the attention without its last key.
std::vector<double> droppedKey(Attention attention, std::vector<Tensor> inputs) {
  attention.keys -= 1;
  for (const std::size_t operand : {1U, 2U}) {
    inputs[operand].type.shape[1] -= 1;
    inputs[operand].data.resize(inputs[operand].type.bytes());
  }
  return naive(attention, inputs);
}
/// Normalizes by a sum of weights that lacks the last key.
std::vector<double> shortSum(const Attention& attention, const std::vector<Tensor>& inputs) {
  const Matmul weights{.m = attention.queries,
                       .n = attention.keys,
                       .k = attention.depth,
                       .transposeRhs = true,
                       .epilogue = {.activation = Activation::softmax}};
  std::vector<double> query = toNumbers<double>(inputs[0]);
  for (double& value : query) {
    value /= std::sqrt(static_cast<double>(attention.depth));
  }
  const auto even =
      naiveEpilogue(weights, naiveMatmul(weights, query, toNumbers<double>(inputs[1])), {});
  std::vector<double> result = naive(attention, inputs);
  for (std::int64_t q = 0; q < attention.queries; ++q) {
    const double last = even[at(q * attention.keys + attention.keys - 1)];
    for (std::int64_t d = 0; d < attention.depth; ++d) {
      result[at(q * attention.depth + d)] /= 1 - last;
    }
  }
  return result;
}
std::vector<double> scaled(const Attention& attention, const std::vector<Tensor>& inputs,
                           double factor) {
  std::vector<double> query = toNumbers<double>(inputs[0]);
  for (double& value : query) {
    value *= factor;
  }
  return naiveAttention(attention, query, toNumbers<double>(inputs[1]),
                        toNumbers<double>(inputs[2]));
}

TEST(AttentionTolerance, DetectsDefects) {
  for (const auto& [type, keys] :
       std::vector<std::pair<ElementType, std::int64_t>>{{ElementType::f32, 32},
                                                         {ElementType::f32, 2000},
                                                         {ElementType::f16, 32},
                                                         {ElementType::f16, 1000},
                                                         {ElementType::bf16, 32},
                                                         {ElementType::bf16, 256}}) {
    const Attention attention{.queries = 16, .keys = keys, .depth = 64, .type = type};
    const auto inputs = makeInputs(attention, Values::reals);
    const auto caught = [&](const std::vector<double>& actual) {
      return findMismatch(attention, inputs, actual).has_value();
    };
    const std::string name = nameOf(attention);
    EXPECT_FALSE(caught(naive(attention, inputs))) << name;
    EXPECT_TRUE(caught(droppedKey(attention, inputs))) << name;
    EXPECT_TRUE(caught(scaled(attention, inputs, 8))) << name << " without its scale";
    EXPECT_TRUE(caught(scaled(attention, inputs, 1.0 / 8))) << name << " scaled twice";
    if (type == ElementType::f32 || keys < 100) {  // otherwise one key is below the rounding
      EXPECT_TRUE(caught(shortSum(attention, inputs))) << name;
    }
    std::vector<double> element = naive(attention, inputs);
    element[37] *= 1 + 4.0 / static_cast<double>(keys);
    element[37] += 1.0 / static_cast<double>(keys);
    EXPECT_TRUE(caught(element)) << name << " with one element off by one key";
  }
}

}  // namespace
}  // namespace hone::verify
