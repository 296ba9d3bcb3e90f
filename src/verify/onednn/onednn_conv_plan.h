#pragma once

#include "model/problem/problem.h"
#include "verify/onednn/onednn_planning.h"
#include "verify/onednn/onednn_version.h"

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
  /// Plans a backward convolution for tensors in these layouts.
  template <typename Primitive>
  [[nodiscard]] Primitive::primitive_desc backward(const dnnl::engine& engine,
                                                   const dnnl::memory::desc& imageLayout,
                                                   const dnnl::memory::desc& filterLayout,
                                                   const dnnl::memory::desc& outputLayout) const {
    return makeBackwardPlan<Primitive>(engine, forward(engine), attributesFor({}), kDirect,
                                       imageLayout, filterLayout, outputLayout, strides, dilations,
                                       padLeft, padRight);
  }

  model::ElementType input;
  dnnl::memory::desc image, filter, output, bias;
  dnnl::memory::dims strides, dilations, padLeft, padRight;
};

/// Adds the convolution to the planned call.
void addConv(const Planning& planning, const model::Conv& conv);

}  // namespace hone::verify
