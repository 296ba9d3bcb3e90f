#pragma once

#include <span>

#include "iree/mlir/mlir_body.h"
#include "model/problem/operation/attention.h"

namespace hone::iree {

/// Writes the body of an attention on the operands of model::operandTypes(). Returns its result.
Value attentionBody(Body& body, const model::Attention& attention, std::span<const Value> operands);

}  // namespace hone::iree
