#include "verify/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "verify/epilogue.h"
#include "verify/onednn/onednn.h"

namespace hone::verify {
namespace {

using model::ElementType;

Result<void> checkInputs(const model::Problem& problem, std::span<const Tensor> inputs) {
  HONE_CHECK(model::check(problem));
  const std::vector<model::TensorType> operands = operandTypes(problem);
  if (inputs.size() != operands.size()) {
    return userError("{}: expected {} inputs, got {}", nameOf(problem), operands.size(),
                     inputs.size());
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (inputs[i].type != operands[i] || inputs[i].data.size() != operands[i].bytes()) {
      return userError("{}: input {}: expected {} ({} bytes), got {} ({} bytes)", nameOf(problem),
                       i, operands[i].text(), operands[i].bytes(), inputs[i].type.text(),
                       inputs[i].data.size());
    }
  }
  if (isFloat(operands[0].element) != isFloat(operands[1].element)) {
    return userError("{}: mixed float and integer operands have no reference", nameOf(problem));
  }
  return {};
}

/// Returns the values as f32. Converts tensors of other types into `space`.
const float* asFloats(const Tensor& tensor, std::vector<float>& space) {
  if (tensor.type.element == ElementType::f32) {
    return reinterpret_cast<const float*>(tensor.data.data());
  }
  space = toNumbers<float>(tensor);
  return space.data();
}

Tensor emptyResult(const model::Problem& problem, ElementType element) {
  model::TensorType type = resultType(problem);
  type.element = element;
  return {type, std::vector<std::byte>(type.bytes())};
}

Result<Tensor> floatSums(const model::Problem& problem, std::span<const Tensor> inputs) {
  std::vector<float> firstSpace;
  std::vector<float> secondSpace;
  const float* first = asFloats(inputs[0], firstSpace);
  const float* second = asFloats(inputs[1], secondSpace);
  Tensor result = emptyResult(problem, ElementType::f32);
  HONE_CHECK(runOneDnn(problem, first, second, reinterpret_cast<float*>(result.data.data())));
  return result;
}

double maxMagnitude(const std::vector<std::int64_t>& values) {
  double magnitude = 0;
  for (const std::int64_t value : values) {
    magnitude = std::max(magnitude, std::abs(static_cast<double>(value)));
  }
  return magnitude;
}

/// Splits the values modulo 2^32 into digits of base 2^bits in [-2^(bits-1), 2^(bits-1)).
std::vector<std::vector<float>> splitDigits(std::vector<std::int64_t> values, unsigned bits) {
  const std::int64_t base = std::int64_t{1} << bits;
  const std::int64_t half = base / 2;
  std::vector<std::vector<float>> planes;
  for (std::int64_t& value : values) {
    value = static_cast<std::int32_t>(value);
  }
  bool more = true;
  while (more) {
    more = false;
    std::vector<float> plane(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t digit = ((values[i] + half) & (base - 1)) - half;
      plane[i] = static_cast<float>(digit);
      values[i] = (values[i] - digit) / base;
      more |= values[i] != 0;
    }
    planes.push_back(std::move(plane));
  }
  return planes;
}

/// Returns the digit size at which every sum of products is exact in f32:
/// (2^(bits-1))^2 * length <= 2^24.
Result<unsigned> exactDigitBits(const model::Problem& problem) {
  const auto length = static_cast<double>(reductionLength(problem));
  const int bits = static_cast<int>(std::floor((24 - std::log2(length)) / 2)) + 1;
  if (bits < 2) {
    return userError("{}: reduction over {} products is too long for an exact reference",
                     nameOf(problem), reductionLength(problem));
  }
  return static_cast<unsigned>(bits);
}

/// Computes integer sums exactly in f32, since oneDNN's i8 kernels saturate on processors without
/// VNNI. Takes one pass for small values, and one pass per pair of digits otherwise.
Result<Tensor> integerSums(const model::Problem& problem, std::span<const Tensor> inputs) {
  std::vector<std::int64_t> first = toNumbers<std::int64_t>(inputs[0]);
  std::vector<std::int64_t> second = toNumbers<std::int64_t>(inputs[1]);
  const double bound =
      maxMagnitude(first) * maxMagnitude(second) * static_cast<double>(reductionLength(problem));
  const unsigned bits = bound <= 0x1p24 ? 24 : HONE_TRY(exactDigitBits(problem));
  const auto firstDigits = splitDigits(std::move(first), bits);
  const auto secondDigits = splitDigits(std::move(second), bits);

  Tensor result = emptyResult(problem, ElementType::i32);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(result.type.count()));
  std::vector<float> part(sums.size());
  for (std::size_t i = 0; i < firstDigits.size(); ++i) {
    for (std::size_t j = 0; j < secondDigits.size() && (i + j) * bits < 32; ++j) {
      HONE_CHECK(runOneDnn(problem, firstDigits[i].data(), secondDigits[j].data(), part.data()));
      for (std::size_t at = 0; at < sums.size(); ++at) {
        sums[at] += static_cast<std::uint32_t>(static_cast<std::int32_t>(part[at]))
                    << static_cast<unsigned>((i + j) * bits);
      }
    }
  }
  std::memcpy(result.data.data(), sums.data(), result.data.size());
  return result;
}

/// Limits the scores in memory; queries are processed in batches.
constexpr std::int64_t kMaxScores = std::int64_t{1} << 22;

Result<Tensor> attentionReference(const model::Attention& attention,
                                  std::span<const Tensor> inputs) {
  std::array<std::vector<float>, 3> spaces;
  const float* query = asFloats(inputs[0], spaces[0]);
  const float* key = asFloats(inputs[1], spaces[1]);
  const float* value = asFloats(inputs[2], spaces[2]);
  Tensor result = emptyResult(attention, ElementType::f32);
  auto* out = reinterpret_cast<float*>(result.data.data());
  const std::int64_t queriesPerPass = std::max<std::int64_t>(1, kMaxScores / attention.keys);
  const double scale = 1 / std::sqrt(static_cast<double>(attention.depth));
  std::vector<float> scores;
  for (std::int64_t batch = 0; batch < attention.batch; ++batch) {
    const std::int64_t keysAt = batch * attention.keys * attention.depth;
    for (std::int64_t first = 0; first < attention.queries; first += queriesPerPass) {
      const std::int64_t rows = std::min(queriesPerPass, attention.queries - first);
      const std::int64_t at = (batch * attention.queries + first) * attention.depth;
      scores.resize(static_cast<std::size_t>(rows * attention.keys));
      const model::Matmul score{
          .m = rows, .n = attention.keys, .k = attention.depth, .transposeRhs = true};
      HONE_CHECK(runOneDnn(score, query + at, key + keysAt, scores.data()));
      softmaxRows(scores, static_cast<std::size_t>(attention.keys), scale);
      const model::Matmul weigh{.m = rows, .n = attention.depth, .k = attention.keys};
      HONE_CHECK(runOneDnn(weigh, scores.data(), value + keysAt, out + at));
    }
  }
  return result;
}

}  // namespace

Result<Tensor> computeReference(const model::Problem& problem, std::span<const Tensor> inputs) {
  HONE_CHECK(checkInputs(problem, inputs));
  if (const auto* attention = std::get_if<model::Attention>(&problem)) {
    return attentionReference(*attention, inputs);
  }
  Tensor sums = isFloat(inputs[0].type.element) ? HONE_TRY(floatSums(problem, inputs))
                                                : HONE_TRY(integerSums(problem, inputs));
  return applyEpilogue(problem, std::move(sums), inputs);
}

}  // namespace hone::verify
