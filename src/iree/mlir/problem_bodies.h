#pragma once

#include <span>

#include "iree/mlir/mlir_body.h"
#include "model/problem/problem.h"

namespace hone::iree {

// What mlirOf puts between the braces, for each kind of problem; the operands are those of
// model::operandsOf.

Value matmulBody(Body& body, const model::Matmul& matmul, std::span<const Value> operands);
Value convBody(Body& body, const model::Conv& conv, std::span<const Value> operands);
Value attentionBody(Body& body, const model::Attention& attention, std::span<const Value> operands);

/// What follows the sums. The bias, an operand after the two of the sums, is one for each element
/// along `biasDim`; softmax goes along the last dimension.
Value withEpilogue(Body& body, const model::Epilogue& epilogue, const Value& sums,
                   std::span<const Value> operands, std::size_t biasDim);

}  // namespace hone::iree
