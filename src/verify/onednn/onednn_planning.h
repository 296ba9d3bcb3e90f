#pragma once

#include <cstdint>

#include "model/problem/problem.h"
#include "verify/onednn/onednn_call.h"

namespace hone::verify {

/// Layouts of activations and results inside oneDNN.
enum class Layouts : std::uint8_t {
  plain,   ///< layouts of the problem
  chosen,  ///< layouts chosen by oneDNN, with reorders in every call
};

/// Context for planning a call.
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
  /// Returns the layout to request for a tensor that is not constant.
  [[nodiscard]] Desc requested(const Desc& plain) const;
};

[[nodiscard]] dnnl::memory::data_type dataType(model::ElementType type);
/// Returns a dense layout with `innermost` varying fastest and the other dimensions in order.
[[nodiscard]] dnnl::memory::desc dense(const dnnl::memory::dims& sizes, model::ElementType type,
                                       std::size_t innermost);
/// Returns the same tensor with a layout chosen by oneDNN.
[[nodiscard]] dnnl::memory::desc any(const dnnl::memory::desc& plain);
/// Returns attributes that fuse the activation, except softmax, which oneDNN cannot fuse.
[[nodiscard]] dnnl::primitive_attr attributesFor(const model::Epilogue& epilogue);

}  // namespace hone::verify
