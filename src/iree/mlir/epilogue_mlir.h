#pragma once

#include <cstddef>
#include <span>

#include "iree/mlir/mlir_body.h"
#include "model/problem/operation/epilogue.h"

namespace hone::iree {

/// Writes an epilogue on the sums and returns its result. The bias is the third operand and has one
/// value per element along `biasDim`. A softmax reduces the last dimension.
Value withEpilogue(Body& body, const model::Epilogue& epilogue, const Value& sums,
                   std::span<const Value> operands, std::size_t biasDim);

}  // namespace hone::iree
