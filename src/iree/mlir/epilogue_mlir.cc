#include "iree/mlir/epilogue_mlir.h"

#include <fmt/ranges.h>

namespace hone::iree {
namespace {

using model::Activation;
using model::ElementType;
using model::Epilogue;
using model::TensorType;

/// Returns the scalars that the activation's region uses, in order of use.
std::vector<std::string> writeConstants(Body& body, Activation activation, ElementType element) {
  switch (activation) {
    case Activation::relu:
      return {body.zero(element)};
    case Activation::gelu:
      return {body.constant("sqrt_half", "0.70710678118654752", element),
              body.constant("one", "1.0", element), body.constant("half", "0.5", element)};
    case Activation::none:
    case Activation::softmax:
      break;
  }
  return {};
}

/// Applies ReLU, or GELU as 0.5 x (1 + erf(x / sqrt 2)); returns x for other activations.
std::string writeActivation(Body& body, Activation activation, const std::string& x,
                            ElementType element, const std::vector<std::string>& constants) {
  const auto type = nameOf(element);
  if (activation == Activation::relu) {
    body.line("  %relu = arith.{} {}, {} : {}", isFloat(element) ? "maximumf" : "maxsi", x,
              constants[0], type);
    return "%relu";
  }
  if (activation == Activation::gelu) {
    body.line("  %scaled = arith.mulf {}, {} : {}", x, constants[0], type);
    body.line("  %erf = math.erf %scaled : {}", type);
    body.line("  %shifted = arith.addf %erf, {} : {}", constants[1], type);
    body.line("  %halved = arith.mulf {}, {} : {}", x, constants[2], type);
    body.line("  %gelu = arith.mulf %halved, %shifted : {}", type);
    return "%gelu";
  }
  return x;
}

/// The parallel loops over all elements of a tensor.
struct Elements {
  explicit Elements(const TensorType& type) {
    for (std::size_t i = 0; i < type.shape.size(); ++i) {
      dims.push_back(fmt::format("d{}", i));
    }
    all = fmt::format("{}", fmt::join(dims, ", "));
  }
  [[nodiscard]] Loops loops(const std::vector<std::string>& inputs) const {
    Loops loops{.names = all, .maps = inputs, .parallel = dims.size(), .reduction = 0};
    loops.maps.push_back(all);
    return loops;
  }
  std::vector<std::string> dims;
  std::string all;
};

/// Applies the bias and an elementwise activation in one pass over the sums; converts to `type`.
Value elementwise(Body& body, const Epilogue& epilogue, const Value& sums,
                  std::span<const Value> operands, std::size_t biasDim, const TensorType& type) {
  const ElementType element = sums.type.element;
  const Elements elements(sums.type);
  std::vector<std::string> maps = {elements.all};
  std::vector<Value> inputs = {sums};
  if (epilogue.bias) {
    maps.push_back(elements.dims[biasDim]);
    inputs.push_back(operands[2]);
  }
  const auto constants = writeConstants(body, epilogue.activation, element);
  const auto region = [&](const std::vector<std::string>& arguments) -> std::string {
    std::string x = arguments[0];
    if (epilogue.bias) {
      body.line("  %biased = arith.add{} {}, {} : {}", isFloat(element) ? 'f' : 'i', x,
                arguments[1], nameOf(element));
      x = "%biased";
    }
    return body.converted(writeActivation(body, epilogue.activation, x, element, constants),
                          element, type.element);
  };
  return body.generic(elements.loops(maps), inputs, body.empty(type), "", region);
}

Value writeSoftmax(Body& body, const Value& logits) {
  const Value into = body.empty(logits.type);
  return body.define(logits.type, "linalg.softmax dimension({}) ins({} : {}) outs({} : {}) -> {}",
                     logits.type.shape.size() - 1, logits.name, logits.text(), into.name,
                     into.text(), into.text());
}

}  // namespace

Value withEpilogue(Body& body, const Epilogue& epilogue, const Value& sums,
                   std::span<const Value> operands, std::size_t biasDim) {
  if (epilogue.isNone()) {
    return sums;
  }
  if (epilogue.activation != Activation::softmax) {
    return elementwise(body, epilogue, sums, operands, biasDim, sums.type);
  }
  // In 16 bits the compiler's row sum saturates: a third is lost for 8192 elements in f16.
  const bool narrow = byteWidth(sums.type.element) < byteWidth(ElementType::f32);
  const TensorType wide{sums.type.shape, narrow ? ElementType::f32 : sums.type.element};
  const Value logits =
      narrow || epilogue.bias ? elementwise(body, epilogue, sums, operands, biasDim, wide) : sums;
  const Value weights = writeSoftmax(body, logits);
  return narrow ? elementwise(body, {}, weights, operands, biasDim, sums.type) : weights;
}

}  // namespace hone::iree
