#pragma once

#include <span>

#include "iree/mlir/mlir_body.h"
#include "model/problem/operation/conv.h"

namespace hone::iree {

/// Writes the body of a convolution on the operands of model::operandTypes(). Returns its result.
Value convBody(Body& body, const model::Conv& conv, std::span<const Value> operands);

}  // namespace hone::iree
