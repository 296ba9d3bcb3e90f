#include "split/problem_reduction.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace hone::split {
namespace {

using model::Conv;
using model::ConvAxis;
using model::ConvDirection;
using model::Reduction;
using model::ReductionKind;

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

Reduction matmul(std::vector<std::int64_t> sums, std::int64_t batch, std::int64_t m,
                 std::int64_t n) {
  return {.kind = ReductionKind::matmul,
          .sizes = std::move(sums),
          .batchSize = batch,
          .mSize = m,
          .nSize = n};
}

/// The sizes of a convolution's axes: of the filter, and of what it slides to.
struct Spatial {
  std::vector<std::int64_t> filters;
  std::vector<std::int64_t> outputs;

  /// Otherwise it is a matmul by the time the pass sees it.
  [[nodiscard]] bool slides() const {
    for (std::size_t i = 0; i < filters.size(); ++i) {
      if (filters[i] > 1 && outputs[i] > 1) {
        return true;
      }
    }
    return false;
  }
};

Spatial spatialOf(const Conv& conv) {
  Spatial spatial;
  for (const ConvAxis& axis : conv.axes()) {
    spatial.filters.push_back(axis.filter);
    // The gradient is padded and dilated until its convolution is as large as the image.
    spatial.outputs.push_back(conv.direction == ConvDirection::backwardData ? axis.image
                                                                            : axis.out());
  }
  return spatial;
}

Reduction ofWeightBackward(const Conv& conv) {
  const Spatial spatial = spatialOf(conv);
  const std::int64_t outputs = conv.k / conv.groups;
  const std::int64_t inputs = conv.c / conv.groups;
  const std::int64_t filter = product(spatial.filters);
  std::vector<std::int64_t> sums = spatial.outputs;
  sums.insert(sums.begin(), conv.n);
  if (!spatial.slides()) {
    return matmul(std::move(sums), conv.groups, outputs, inputs * filter);
  }
  return {.kind = ReductionKind::convolution,
          .sizes = std::move(sums),
          .batchSize = inputs,
          .outputChannelSize = outputs,
          .imageSize = filter,
          .depthSize = conv.groups};
}

/// Forward, and backward of the data, which is a forward one with the channels exchanged.
Reduction ofForward(const Conv& conv) {
  const Spatial spatial = spatialOf(conv);
  const bool backward = conv.direction == ConvDirection::backwardData;
  const std::int64_t outputs = (backward ? conv.c : conv.k) / conv.groups;
  const std::int64_t inputs = (backward ? conv.k : conv.c) / conv.groups;
  const std::int64_t image = product(spatial.outputs);
  std::vector<std::int64_t> sums = spatial.filters;
  sums.insert(conv.layout == model::ConvLayout::nhwc ? sums.end() : sums.begin(), inputs);
  if (!spatial.slides()) {
    return matmul(std::move(sums), conv.groups, conv.n * image, outputs);
  }
  return {.kind = ReductionKind::convolution,
          .sizes = std::move(sums),
          .batchFirst = conv.n > 1,
          .batchSize = conv.n,
          .outputChannelSize = outputs,
          .imageSize = image,
          .depthSize = conv.groups};
}

Reduction ofConv(const Conv& conv) {
  return conv.direction == ConvDirection::weightBackward ? ofWeightBackward(conv) : ofForward(conv);
}

}  // namespace

std::optional<Reduction> reductionOf(const model::Problem& problem) {
  Reduction reduction;
  if (const auto* summed = std::get_if<model::Matmul>(&problem)) {
    reduction = matmul({summed->k}, std::max<std::int64_t>(summed->batch, 1), summed->m, summed->n);
  } else if (const auto* conv = std::get_if<Conv>(&problem)) {
    reduction = ofConv(*conv);
  }
  // Loops that run once are folded away before the pass.
  std::erase(reduction.sizes, 1);
  return reduction.sizes.empty() ? std::nullopt : std::optional(std::move(reduction));
}

}  // namespace hone::split
