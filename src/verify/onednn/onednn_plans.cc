#include "verify/onednn/onednn_plans.h"

#include <algorithm>
#include <cmath>

#include "verify/onednn/onednn_conv_plan.h"
#include "verify/onednn/onednn_version.h"

namespace hone::verify {
namespace {

using dnnl::memory;
using model::Activation;
using model::Attention;
using model::Conv;
using model::ElementType;
using model::Matmul;
using Desc = memory::desc;

bool hasTypes(ElementType input, ElementType result) {
  switch (input) {
    case ElementType::f32:
      return result == ElementType::f32;
    case ElementType::bf16:
      return result == ElementType::f32 || result == ElementType::bf16;
    case ElementType::i8:
      return result == ElementType::i32;
    default:
      return false;
  }
}

Desc matrix(std::int64_t batch, std::int64_t rows, std::int64_t columns, ElementType type,
            bool transposed = false) {
  memory::dims sizes = {rows, columns};
  if (batch > 0) {
    sizes.insert(sizes.begin(), batch);
  }
  return dense(sizes, type, sizes.size() - (transposed ? 2 : 1));
}

void addSoftmax(const Planning& planning, const memory& from, const memory& to) {
  const int lastAxis = static_cast<int>(tensorDims(from.get_desc()).size()) - 1;
  const auto plan = makePlan<Softmax>(
      planning.call.engine(), dnnl::primitive_attr(), dnnl::prop_kind::forward_inference,
      dnnl::algorithm::softmax_accurate, from.get_desc(), to.get_desc(), lastAxis);
  planning.call.add(plan, Softmax(plan), {{DNNL_ARG_SRC, from}}, DNNL_ARG_DST, plan.dst_desc(), to);
}

void addMatmul(const Planning& planning, const Matmul& matmul) {
  const auto& [call, tensors, layouts] = planning;
  const Desc lhs = matrix(matmul.batch, matmul.m, matmul.k, matmul.lhs, matmul.transposeLhs);
  const Desc rhs = matrix(matmul.batch, matmul.k, matmul.n, matmul.rhs, matmul.transposeRhs);
  const Desc bias = matrix(std::min<std::int64_t>(matmul.batch, 1), 1, matmul.n, matmul.result);
  const Desc product = matrix(matmul.batch, matmul.m, matmul.n, matmul.result);
  const bool constant = matmul.batch == 0;
  const bool hasBias = matmul.epilogue.bias;
  const Desc source = planning.requested(lhs);
  const Desc weights = constant ? any(rhs) : planning.requested(rhs);
  const Desc computed = planning.requested(product);
  const auto attributes = attributesFor(matmul.epilogue);
  const auto plan =
      hasBias ? makePlan<dnnl::matmul>(call.engine(), attributes, source, weights, bias, computed)
              : makePlan<dnnl::matmul>(call.engine(), attributes, source, weights, computed);

  OneDnnCall::Arguments arguments = {
      {DNNL_ARG_SRC, call.reordered(planning.operand(0, lhs), plan.src_desc())},
      {DNNL_ARG_WEIGHTS, constant ? call.prepacked(planning.operand(1, rhs), plan.weights_desc())
                                  : call.reordered(planning.operand(1, rhs), plan.weights_desc())}};
  if (hasBias) {
    arguments.emplace(DNNL_ARG_BIAS, planning.operand(2, bias));
  }
  const memory result = planning.result(product);
  call.add(plan, dnnl::matmul(plan), std::move(arguments), DNNL_ARG_DST, plan.dst_desc(), result);
  if (matmul.epilogue.activation == Activation::softmax) {
    addSoftmax(planning, result, result);
  }
}

/// Adds the product of two matrices that change in every call.
void addProduct(const Planning& planning, const memory& lhs, const memory& rhs,
                const memory& product, const dnnl::primitive_attr& attributes) {
  auto& call = planning.call;
  const auto plan = makePlan<dnnl::matmul>(
      call.engine(), attributes, planning.requested(lhs.get_desc()),
      planning.requested(rhs.get_desc()), planning.requested(product.get_desc()));
  call.add(plan, dnnl::matmul(plan),
           {{DNNL_ARG_SRC, call.reordered(lhs, plan.src_desc())},
            {DNNL_ARG_WEIGHTS, call.reordered(rhs, plan.weights_desc())}},
           DNNL_ARG_DST, plan.dst_desc(), product);
}

void addAttention(const Planning& planning, const Attention& attention) {
  const auto& [batch, queries, keys, depth, type] = attention;
  const memory query = planning.operand(0, matrix(batch, queries, depth, type));
  const memory key = planning.operand(1, matrix(batch, depth, keys, type, true));
  const memory value = planning.operand(2, matrix(batch, keys, depth, type));
  const memory scores(matrix(batch, queries, keys, ElementType::f32), planning.call.engine());
  const memory weights = type == ElementType::f32
                             ? scores
                             : memory(matrix(batch, queries, keys, type), planning.call.engine());
  dnnl::post_ops scaling;
  appendEltwise(scaling, dnnl::algorithm::eltwise_linear,
                1.0F / std::sqrt(static_cast<float>(depth)));
  dnnl::primitive_attr scaled = attributesFor({});
  scaled.set_post_ops(scaling);
  addProduct(planning, query, key, scores, scaled);
  addSoftmax(planning, scores, weights);
  addProduct(planning, weights, value, planning.result(matrix(batch, queries, depth, type)),
             attributesFor({}));
}

}  // namespace

Result<void> checkTypes(const model::Problem& problem) {
  std::vector<model::TensorType> operands = operandTypes(problem);
  const model::TensorType result = resultType(problem);
  operands.resize(2);  // the bias has the result type
  const auto has = [&](ElementType type) {
    return result.element == type || operands[0].element == type || operands[1].element == type;
  };
  if (has(ElementType::f16)) {
    return userError("oneDNN does not support f16 on this CPU");
  }
  if (operands[0].element != operands[1].element ||
      !hasTypes(operands[0].element, result.element)) {
    return userError("oneDNN does not support {} x {} -> {} on this CPU",
                     nameOf(operands[0].element), nameOf(operands[1].element),
                     nameOf(result.element));
  }
  return {};
}

OneDnnCall planCall(const model::Problem& problem, PlainTensors& tensors, Layouts layouts) {
  OneDnnCall call;
  const Planning planning{call, tensors, layouts};
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    addMatmul(planning, *matmul);
  } else if (const auto* conv = std::get_if<Conv>(&problem)) {
    addConv(planning, *conv);
  } else {
    addAttention(planning, std::get<Attention>(problem));
  }
  return call;
}

}  // namespace hone::verify
