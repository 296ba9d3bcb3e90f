#include "verify/epilogue.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace hone::verify {
namespace {

using model::Activation;
using model::ElementType;

/// Bias of the elements of a result, along its last dimension or its channels.
template <typename Number>
class Bias {
 public:
  Bias(const model::Problem& problem, std::span<const Tensor> inputs) {
    if (!findEpilogue(problem).bias) {
      return;
    }
    values_ = toNumbers<Number>(inputs[2]);
    const auto* conv = std::get_if<model::Conv>(&problem);
    if (conv != nullptr && conv->layout == model::ConvLayout::nchw) {
      const model::TensorType result = resultType(problem);
      repeat_ = static_cast<std::size_t>(result.count() / (result.shape[0] * result.shape[1]));
    }
  }
  [[nodiscard]] Number at(std::size_t element) const {
    return values_.empty() ? Number{0} : values_[element / repeat_ % values_.size()];
  }

 private:
  std::vector<Number> values_;
  std::size_t repeat_ = 1;  ///< consecutive elements with the same bias
};

double activate(double x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::gelu:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case Activation::none:
    case Activation::softmax:
      break;
  }
  return x;
}

/// Computes softmax in place. The sum is at least 1, since the largest weight is 1.
void softmaxInPlace(std::span<double> row) {
  const double maximum = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& value : row) {
    value = std::exp(value - maximum);
    sum += value;
  }
  for (double& value : row) {
    value /= sum;
  }
}

Tensor floatEpilogue(const model::Problem& problem, const Tensor& sums,
                     std::span<const Tensor> inputs) {
  const Activation activation = findEpilogue(problem).activation;
  const Bias<double> bias(problem, inputs);
  Tensor result{{sums.type.shape, ElementType::f32}, {}};
  result.data.resize(result.type.bytes());
  const auto count = static_cast<std::size_t>(sums.type.count());
  const auto columns = static_cast<std::size_t>(sums.type.shape.back());
  std::vector<double> row(columns);
  std::vector<float> rounded(columns);
  for (std::size_t at = 0; at < count; at += columns) {
    readElements(sums, at, std::span<double>(row));
    for (std::size_t i = 0; i < columns; ++i) {
      row[i] = activate(row[i] + bias.at(at + i), activation);
    }
    if (activation == Activation::softmax) {
      softmaxInPlace(row);
    }
    std::transform(row.begin(), row.end(), rounded.begin(),
                   [](double value) { return static_cast<float>(value); });
    std::memcpy(result.data.data() + at * sizeof(float), rounded.data(), columns * sizeof(float));
  }
  return result;
}

/// Wraps the value to the range of the type.
std::int32_t wrap(std::int64_t value, ElementType type) {
  switch (type) {
    case ElementType::i8:
      return static_cast<std::int8_t>(value);
    case ElementType::i16:
      return static_cast<std::int16_t>(value);
    default:
      return static_cast<std::int32_t>(value);
  }
}

Tensor integerEpilogue(const model::Problem& problem, Tensor sums, std::span<const Tensor> inputs) {
  const ElementType type = resultType(problem).element;
  const bool relu = findEpilogue(problem).activation == Activation::relu;
  const Bias<std::int64_t> bias(problem, inputs);
  std::vector<std::int64_t> values = toNumbers<std::int64_t>(sums);
  std::vector<std::int32_t> results(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int32_t value = wrap(values[i] + bias.at(i), type);
    results[i] = relu ? std::max(value, 0) : value;
  }
  std::memcpy(sums.data.data(), results.data(), sums.data.size());
  return sums;
}

}  // namespace

Tensor applyEpilogue(const model::Problem& problem, Tensor sums, std::span<const Tensor> inputs) {
  const ElementType result = resultType(problem).element;
  const bool narrow = result == ElementType::i8 || result == ElementType::i16;
  const bool integers = sums.type.element == ElementType::i32 && !isFloat(result);
  if (findEpilogue(problem).isNone() && !(integers && narrow)) {
    return sums;
  }
  return integers ? integerEpilogue(problem, std::move(sums), inputs)
                  : floatEpilogue(problem, sums, inputs);
}

void softmaxRows(std::span<float> values, std::size_t columns, double scale) {
  std::vector<double> row(columns);
  for (std::size_t at = 0; at < values.size(); at += columns) {
    const std::span<float> from = values.subspan(at, columns);
    std::transform(from.begin(), from.end(), row.begin(),
                   [&](float value) { return scale * double{value}; });
    softmaxInPlace(row);
    std::transform(row.begin(), row.end(), from.begin(),
                   [](double value) { return static_cast<float>(value); });
  }
}

}  // namespace hone::verify
