#pragma once

#include <cstdint>

#include "model/problem/problem.h"
#include "verify/onednn/onednn_call.h"

namespace hone::verify {

/// How activations and results lie while oneDNN works on them.
enum class Layouts : std::uint8_t {
  plain,   ///< as the problem has them, with the code that oneDNN has for that
  chosen,  ///< as oneDNN likes them best, with the moves there and back in every call
};

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

[[nodiscard]] dnnl::memory::data_type dataType(model::ElementType type);
/// Dense, with the dimension `innermost` varying fastest and the others in their order.
[[nodiscard]] dnnl::memory::desc dense(const dnnl::memory::dims& sizes, model::ElementType type,
                                       std::size_t innermost);
/// The same tensor in a layout that oneDNN may choose.
[[nodiscard]] dnnl::memory::desc any(const dnnl::memory::desc& plain);
/// With the activation fused, but softmax, which oneDNN cannot fuse.
[[nodiscard]] dnnl::primitive_attr attributesFor(const model::Epilogue& epilogue);

}  // namespace hone::verify
