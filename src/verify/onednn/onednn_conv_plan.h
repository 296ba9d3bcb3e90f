#pragma once

#include "model/problem/problem.h"
#include "verify/onednn/onednn_planning.h"

namespace hone::verify {

/// Winograd does fewer multiplications than are counted, and rounds differently: its speed could
/// not be compared, nor its results be a reference.
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

/// A convolution in oneDNN's words: sizes are in the order n,c,d,h,w whatever the layout, and the
/// tensors lie as the problem has them.
struct ConvDescs {
  explicit ConvDescs(const model::Conv& conv);
  /// The forward convolution in layouts that oneDNN chooses, which are many times faster than plain
  /// ones; the plan of a backward one is made from it.
  [[nodiscard]] dnnl::convolution_forward::primitive_desc forward(const dnnl::engine& engine) const;

  model::ElementType input;
  dnnl::memory::desc image, filter, output, bias;
  dnnl::memory::dims strides, dilations, padLeft, padRight;
};

/// Adds the convolution to the call that is being planned.
void addConv(const Planning& planning, const model::Conv& conv);

}  // namespace hone::verify
