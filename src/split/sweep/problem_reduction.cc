#include "split/sweep/problem_reduction.h"

#include <algorithm>
#include <vector>

namespace hone::split {
namespace {

using model::Conv;
using model::ConvAxis;
using model::ConvDirection;
using model::Reduction;
using model::ReductionKind;

Reduction matmul(std::vector<std::int64_t> sums, std::int64_t batch, std::int64_t m,
                 std::int64_t n) {
  return {.kind = ReductionKind::matmul,
          .sizes = std::move(sums),
          .batchSize = batch,
          .mSize = m,
          .nSize = n};
}

/// The spatial axes as the pass sees them, for every direction: reduction length and output length.
struct Axes {
  std::vector<std::int64_t> sums;
  std::vector<std::int64_t> outputs;

  /// Returns true if the filter slides along the axis: both loops run more than once. Otherwise one
  /// of them is folded away and the other is an ordinary loop.
  [[nodiscard]] bool slides(std::size_t axis) const { return sums[axis] > 1 && outputs[axis] > 1; }
  [[nodiscard]] bool anySlides() const {
    for (std::size_t axis = 0; axis < sums.size(); ++axis) {
      if (slides(axis)) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] std::int64_t product(const std::vector<std::int64_t>& sizes, bool sliding) const {
    std::int64_t product = 1;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      product *= slides(axis) == sliding ? sizes[axis] : 1;
    }
    return product;
  }
  /// Returns true if the outermost output loop that is not folded away belongs to a plain axis.
  [[nodiscard]] bool beginsPlain() const {
    for (std::size_t axis = 0; axis < outputs.size(); ++axis) {
      if (outputs[axis] > 1) {
        return !slides(axis);
      }
    }
    return false;
  }
};

Axes makeAxes(const Conv& conv) {
  Axes axes;
  for (const ConvAxis& axis : conv.axes()) {
    switch (conv.direction) {
      case ConvDirection::forward:
        axes.sums.push_back(axis.filter);
        axes.outputs.push_back(axis.out());
        break;
      case ConvDirection::backwardData:
        // The gradient is padded and dilated until its convolution is as large as the image.
        axes.sums.push_back(axis.filter);
        axes.outputs.push_back(axis.image);
        break;
      case ConvDirection::weightBackward:
        axes.sums.push_back(axis.out());
        axes.outputs.push_back(axis.filter);
        break;
    }
  }
  return axes;
}

/// Returns a convolution or, if no axis slides, the matmul that it is when the pass sees it. `rows`
/// and `columns` are the output loops that index one operand each. `shared` is the reduction loop
/// that indexes both, besides the axes.
Reduction describeAxes(const Conv& conv, const Axes& axes, std::int64_t rows, std::int64_t columns,
                       std::int64_t shared) {
  Reduction reduction;
  reduction.mSize = rows * axes.product(axes.outputs, false);
  reduction.nSize = columns;
  if (!axes.anySlides()) {
    reduction.kind = ReductionKind::matmul;
    reduction.batchSize = conv.groups;
    return reduction;
  }
  reduction.kind = ReductionKind::convolution;
  reduction.batchSize = reduction.mSize;
  reduction.outputChannelSize = columns;
  reduction.imageSize = axes.product(axes.outputs, true);
  reduction.depthSize = conv.groups;
  reduction.kSize = shared * axes.product(axes.sums, false);
  if (reduction.mSize == 1 || reduction.nSize == 1 || reduction.kSize == 1) {
    reduction.mSize = reduction.nSize = 1;
    reduction.kSize = 0;
  }
  return reduction;
}

Reduction describeWeightBackward(const Conv& conv) {
  const Axes axes = makeAxes(conv);
  Reduction reduction =
      describeAxes(conv, axes, conv.c / conv.groups, conv.k / conv.groups, conv.n);
  reduction.sizes = axes.sums;
  reduction.sizes.insert(reduction.sizes.begin(), conv.n);
  return reduction;
}

/// Handles forward, and backward data, which is a forward one with exchanged channels.
Reduction describeForward(const Conv& conv) {
  const Axes axes = makeAxes(conv);
  const bool backward = conv.direction == ConvDirection::backwardData;
  const bool channelsLast = conv.layout == model::ConvLayout::nhwc;
  const std::int64_t outputs = (backward ? conv.c : conv.k) / conv.groups;
  const std::int64_t inputs = (backward ? conv.k : conv.c) / conv.groups;
  Reduction reduction = describeAxes(conv, axes, conv.n, outputs, inputs);
  reduction.sizes = axes.sums;
  reduction.sizes.insert(channelsLast ? reduction.sizes.end() : reduction.sizes.begin(), inputs);
  reduction.batchFirst = reduction.kind == ReductionKind::convolution &&
                         (conv.n > 1 || (channelsLast && axes.beginsPlain()));
  return reduction;
}

Reduction describeConv(const Conv& conv) {
  return conv.direction == ConvDirection::weightBackward ? describeWeightBackward(conv)
                                                         : describeForward(conv);
}

/// Returns the reduction with all its loops; without loops for an attention.
Reduction computeReduction(const model::Problem& problem) {
  Reduction reduction;
  if (const auto* summed = std::get_if<model::Matmul>(&problem)) {
    reduction = matmul({summed->k}, std::max<std::int64_t>(summed->batch, 1), summed->m, summed->n);
  } else if (const auto* conv = std::get_if<Conv>(&problem)) {
    reduction = describeConv(*conv);
  }
  return reduction;
}

}  // namespace

std::optional<Reduction> findReduction(const model::Problem& problem) {
  Reduction reduction = computeReduction(problem);
  // Loops of size 1 are folded away before the pass.
  std::erase(reduction.sizes, 1);
  return reduction.sizes.empty() ? std::nullopt : std::optional(std::move(reduction));
}

ReductionKind decideKind(const model::Problem& problem) { return computeReduction(problem).kind; }

}  // namespace hone::split
