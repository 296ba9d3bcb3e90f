#pragma once

#include "model/problem/problem.h"
#include "verify/onednn/onednn_planning.h"

namespace hone::verify {

/// No Winograd: it does fewer multiplications than counted, so its speed is not comparable, and
/// rounds differently, so it is not a reference.
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

/// oneDNN descriptors of a convolution: sizes in the order n,c,d,h,w for every layout, tensors in
/// the layout of the problem.
struct ConvDescs {
  explicit ConvDescs(const model::Conv& conv);
  /// Plans the forward convolution in layouts chosen by oneDNN, which are many times faster than
  /// plain ones. Backward plans need it as a hint.
  [[nodiscard]] dnnl::convolution_forward::primitive_desc forward(const dnnl::engine& engine) const;

  model::ElementType input;
  dnnl::memory::desc image, filter, output, bias;
  dnnl::memory::dims strides, dilations, padLeft, padRight;
};

/// Adds the convolution to the planned call.
void addConv(const Planning& planning, const model::Conv& conv);

}  // namespace hone::verify
