#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>

#include "model/problem/problem.h"

namespace hone::model {

/// Prints problems in rapidcheck's counterexamples.
inline void showValue(const Problem& problem, std::ostream& out) { out << nameOf(problem); }

/// Generates few distinct values, so that problems that are equal or differ in one member occur.
inline rc::Gen<std::int64_t> anySize() {
  return rc::gen::element<std::int64_t>(1, 2, 3, 12, 21, 112);
}

inline rc::Gen<ElementType> anyElement() {
  return rc::gen::element(ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8,
                          ElementType::i32, ElementType::f64);
}

inline rc::Gen<Epilogue> anyEpilogue() {
  return rc::gen::element(Epilogue{}, Epilogue{}, Epilogue{.bias = true},
                          Epilogue{.activation = Activation::relu},
                          Epilogue{.bias = true, .activation = Activation::gelu},
                          Epilogue{.activation = Activation::softmax});
}

inline rc::Gen<Problem> anyMatmul() {
  using rc::gen::set;
  return rc::gen::map(
      rc::gen::build<Matmul>(set(&Matmul::batch, rc::gen::element<std::int64_t>(0, 1, 2, 12)),
                             set(&Matmul::m, anySize()), set(&Matmul::n, anySize()),
                             set(&Matmul::k, anySize()), set(&Matmul::transposeLhs),
                             set(&Matmul::transposeRhs), set(&Matmul::lhs, anyElement()),
                             set(&Matmul::rhs, anyElement()), set(&Matmul::result, anyElement()),
                             set(&Matmul::epilogue, anyEpilogue())),
      [](const Matmul& matmul) { return Problem(matmul); });
}

inline rc::Gen<Problem> anyConv() {
  using rc::gen::set;
  const auto few = rc::gen::element<std::int64_t>(1, 2);
  const auto pad = rc::gen::element<std::int64_t>(0, 1, 2);
  const auto any = rc::gen::build<Conv>(
      set(&Conv::direction, rc::gen::element(ConvDirection::forward, ConvDirection::backwardData,
                                             ConvDirection::weightBackward)),
      set(&Conv::layout, rc::gen::element(ConvLayout::nhwc, ConvLayout::nchw)),
      set(&Conv::n, anySize()), set(&Conv::c, anySize()), set(&Conv::h, anySize()),
      set(&Conv::w, anySize()), set(&Conv::k, anySize()), set(&Conv::y, few), set(&Conv::x, few),
      set(&Conv::strideH, few), set(&Conv::strideW, few), set(&Conv::padH, pad),
      set(&Conv::padW, pad), set(&Conv::dilationH, few), set(&Conv::dilationW, few),
      set(&Conv::groups, few), set(&Conv::input, anyElement()), set(&Conv::result, anyElement()),
      set(&Conv::spatial, rc::gen::element<std::int64_t>(1, 2, 2, 3)), set(&Conv::d, anySize()),
      set(&Conv::z, few), set(&Conv::strideD, few), set(&Conv::padD, pad),
      set(&Conv::dilationD, few), set(&Conv::epilogue, anyEpilogue()));
  return rc::gen::map(any, [](Conv conv) {
    if (conv.spatial < 3) {
      conv.d = conv.z = conv.strideD = conv.dilationD = 1;
      conv.padD = 0;
    }
    if (conv.spatial < 2) {
      conv.h = conv.y = conv.strideH = conv.dilationH = 1;
      conv.padH = 0;
    }
    return Problem(conv);
  });
}

inline rc::Gen<Problem> anyAttention() {
  using rc::gen::set;
  const auto any = rc::gen::build<Attention>(
      set(&Attention::batch, anySize()), set(&Attention::queries, anySize()),
      set(&Attention::keys, anySize()), set(&Attention::depth, anySize()),
      set(&Attention::type, anyElement()));
  return rc::gen::map(any, [](const Attention& attention) { return Problem(attention); });
}

/// Generates any problem that passes `check`.
inline rc::Gen<Problem> anyProblem() {
  return rc::gen::suchThat(rc::gen::oneOf(anyMatmul(), anyConv(), anyAttention()),
                           [](const Problem& problem) { return check(problem).has_value(); });
}

}  // namespace hone::model
