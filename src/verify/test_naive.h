#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "model/problem/problem.h"
#include "verify/inputs.h"
#include "verify/tensor/tensor.h"

namespace hone::verify {

// Problems computed in plain loops on doubles, for tests.

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

inline std::vector<double> naiveMatmul(const model::Matmul& p, const std::vector<double>& lhs,
                                       const std::vector<double>& rhs) {
  std::vector<double> result;
  for (std::int64_t b = 0; b < std::max<std::int64_t>(p.batch, 1); ++b) {
    for (std::int64_t m = 0; m < p.m; ++m) {
      for (std::int64_t n = 0; n < p.n; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k) {
          const auto l = b * p.m * p.k + (p.transposeLhs ? k * p.m + m : m * p.k + k);
          const auto r = b * p.k * p.n + (p.transposeRhs ? n * p.k + k : k * p.n + n);
          sum += lhs[at(l)] * rhs[at(r)];
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

/// Index or sizes along depth, height and width.
struct Place {
  std::int64_t d, h, w;
};

/// Calls `visit` for every index within the sizes.
template <typename Visit>
void forEachPlace(const Place& sizes, const Visit& visit) {
  for (std::int64_t d = 0; d < sizes.d; ++d) {
    for (std::int64_t h = 0; h < sizes.h; ++h) {
      for (std::int64_t w = 0; w < sizes.w; ++w) {
        visit(Place{d, h, w});
      }
    }
  }
}

/// Returns the offset of channel `c` at `place` of item `n`.
inline std::size_t elementOffset(const model::Conv& p, std::int64_t n, std::int64_t c,
                                 const Place& place, std::int64_t channels, const Place& sizes) {
  const std::int64_t inside = (place.d * sizes.h + place.h) * sizes.w + place.w;
  const std::int64_t space = sizes.d * sizes.h * sizes.w;
  return at(p.layout == model::ConvLayout::nhwc ? (n * space + inside) * channels + c
                                                : (n * channels + c) * space + inside);
}

/// Computes a convolution. All three directions use the same products, summed into a different
/// tensor.
inline std::vector<double> naiveConv(const model::Conv& p, std::vector<double> first,
                                     std::vector<double> second) {
  using model::ConvDirection;
  std::vector<double> result(at(resultType(p).count()));
  auto& image = p.direction == ConvDirection::backwardData ? result : first;
  auto& filter = p.direction == ConvDirection::weightBackward ? result : second;
  auto& output = p.direction == ConvDirection::forward        ? result
                 : p.direction == ConvDirection::backwardData ? first
                                                              : second;
  const std::int64_t cg = p.c / p.groups;
  const std::int64_t kg = p.k / p.groups;
  const Place images{p.d, p.h, p.w};
  const Place outputs{p.outD(), p.outH(), p.outW()};
  const Place filters{p.z, p.y, p.x};
  const auto product = [&](std::int64_t n, std::int64_t k, const Place& out, std::int64_t c,
                           const Place& window) {
    const Place from{out.d * p.strideD - p.padD + window.d * p.dilationD,
                     out.h * p.strideH - p.padH + window.h * p.dilationH,
                     out.w * p.strideW - p.padW + window.w * p.dilationW};
    if (from.d < 0 || from.d >= p.d || from.h < 0 || from.h >= p.h || from.w < 0 || from.w >= p.w) {
      return;
    }
    double& i = image[elementOffset(p, n, k / kg * cg + c, from, p.c, images)];
    double& f = filter[elementOffset(p, k, c, window, cg, filters)];
    double& o = output[elementOffset(p, n, k, out, p.k, outputs)];
    if (&image == &result) {
      i += f * o;
    } else if (&filter == &result) {
      f += i * o;
    } else {
      o += i * f;
    }
  };
  for (std::int64_t n = 0; n < p.n; ++n) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      for (std::int64_t c = 0; c < cg; ++c) {
        forEachPlace(outputs, [&](const Place& out) {
          forEachPlace(filters, [&](const Place& window) { product(n, k, out, c, window); });
        });
      }
    }
  }
  return result;
}

inline void naiveSoftmax(std::vector<double>& values, std::size_t columns) {
  for (std::size_t row = 0; row < values.size(); row += columns) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row);
    const double maximum = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(columns));
    double sum = 0;
    for (std::size_t i = row; i < row + columns; ++i) {
      values[i] = std::exp(values[i] - maximum);
      sum += values[i];
    }
    for (std::size_t i = row; i < row + columns; ++i) {
      values[i] /= sum;
    }
  }
}

inline std::vector<double> naiveEpilogue(const model::Problem& problem, std::vector<double> values,
                                         const std::vector<double>& bias) {
  const model::TensorType result = resultType(problem);
  const auto* conv = std::get_if<model::Conv>(&problem);
  const bool channelsFirst = conv != nullptr && conv->layout == model::ConvLayout::nchw;
  const std::int64_t inner =
      channelsFirst ? result.count() / (result.shape[0] * result.shape[1]) : 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& x = values[i];
    x += bias.empty() ? 0 : bias[i / at(inner) % bias.size()];
    switch (findEpilogue(problem).activation) {
      case model::Activation::relu:
        x = x < 0 ? 0 : x;
        break;
      case model::Activation::gelu:
        x = x / 2 * std::erfc(-x / std::numbers::sqrt2);
        break;
      default:
        break;
    }
  }
  if (findEpilogue(problem).activation == model::Activation::softmax) {
    naiveSoftmax(values, at(result.shape.back()));
  }
  return values;
}

inline std::vector<double> naiveAttention(const model::Attention& p,
                                          const std::vector<double>& query,
                                          const std::vector<double>& key,
                                          const std::vector<double>& value) {
  const model::Matmul scoring{
      .batch = p.batch, .m = p.queries, .n = p.keys, .k = p.depth, .transposeRhs = true};
  const model::Matmul weighing{.batch = p.batch, .m = p.queries, .n = p.depth, .k = p.keys};
  std::vector<double> scores = naiveMatmul(scoring, query, key);
  for (double& score : scores) {
    score /= std::sqrt(static_cast<double>(p.depth));
  }
  naiveSoftmax(scores, at(p.keys));
  return naiveMatmul(weighing, scores, value);
}

inline std::vector<double> naive(const model::Problem& problem, const std::vector<Tensor>& inputs) {
  std::vector<std::vector<double>> values;
  for (const Tensor& input : inputs) {
    values.push_back(toNumbers<double>(input));
  }
  if (const auto* attention = std::get_if<model::Attention>(&problem)) {
    return naiveAttention(*attention, values[0], values[1], values[2]);
  }
  const auto* matmul = std::get_if<model::Matmul>(&problem);
  std::vector<double> sums = matmul != nullptr
                                 ? naiveMatmul(*matmul, values[0], values[1])
                                 : naiveConv(std::get<model::Conv>(problem), values[0], values[1]);
  return naiveEpilogue(problem, std::move(sums),
                       values.size() > 2 ? values[2] : std::vector<double>());
}

inline std::vector<Tensor> makeInputs(const model::Problem& problem, Values values,
                                      std::uint64_t seed = 1) {
  std::vector<Tensor> inputs;
  for (const model::TensorType& type : operandTypes(problem)) {
    inputs.push_back(makeInput(type, values, seed, inputs.size()));
  }
  return inputs;
}

/// Returns the values as an f64 tensor with the shape of the problem's result.
inline Tensor resultTensor(const model::Problem& problem, const std::vector<double>& values) {
  Tensor tensor{{resultType(problem).shape, model::ElementType::f64}, {}};
  tensor.data.resize(values.size() * sizeof(double));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

}  // namespace hone::verify
