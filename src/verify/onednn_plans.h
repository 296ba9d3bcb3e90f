#pragma once

#include <cstdint>

#include "base/error.h"
#include "model/problem/problem.h"
#include "verify/onednn_call.h"

namespace hone::verify {

/// How activations and results lie while oneDNN works on them.
enum class Layouts : std::uint8_t {
  plain,   ///< as the problem has them, with the code that oneDNN has for that
  chosen,  ///< as oneDNN likes them best, with the moves there and back in every call
};

/// Whether oneDNN computes in the problem's types at all: a user error says which it has not.
[[nodiscard]] Result<void> checkTypes(const model::Problem& problem);

/// What a user of oneDNN calls for the problem, on tensors that outlive the call. The filter of a
/// forward or backward-data convolution and the right-hand side of a matmul without a batch are
/// constant weights in practice: they are prepacked. Everything else is paid in every call. The
/// types must have been checked; throws what oneDNN throws.
[[nodiscard]] OneDnnCall planOf(const model::Problem& problem, PlainTensors& tensors,
                                Layouts layouts);

/// A call that is being planned.
struct Planning {
  OneDnnCall& call;
  PlainTensors& tensors;
  Layouts layouts;

  using Desc = dnnl::memory::desc;
  [[nodiscard]] dnnl::memory operand(std::size_t index, const Desc& desc) const {
    return {desc, call.engine(), tensors.data(index)};
  }
  [[nodiscard]] dnnl::memory result(const Desc& desc) const {
    return operand(tensors.resultIndex(), desc);
  }
  /// The layout to ask for, for a tensor that is not constant.
  [[nodiscard]] Desc asked(const Desc& plain) const;
};

void addConv(const Planning& planning, const model::Conv& conv);

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

// What the plans share.
[[nodiscard]] dnnl::memory::data_type dataType(model::ElementType type);
/// Dense, with the dimension `innermost` varying fastest and the others in their order.
[[nodiscard]] dnnl::memory::desc dense(const dnnl::memory::dims& sizes, model::ElementType type,
                                       std::size_t innermost);
/// The same tensor in a layout that oneDNN may choose.
[[nodiscard]] dnnl::memory::desc any(const dnnl::memory::desc& plain);
/// With the activation fused, but softmax, which oneDNN cannot fuse.
[[nodiscard]] dnnl::primitive_attr attributesFor(const model::Epilogue& epilogue);

}  // namespace hone::verify
