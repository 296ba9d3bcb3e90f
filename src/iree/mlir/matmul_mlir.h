#pragma once

#include <span>

#include "iree/mlir/mlir_body.h"
#include "model/problem/operation/matmul.h"

namespace hone::iree {

/// Writes the body of a matmul on the operands of model::operandTypes(). Returns its result.
Value matmulBody(Body& body, const model::Matmul& matmul, std::span<const Value> operands);

}  // namespace hone::iree
