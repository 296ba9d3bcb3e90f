#pragma once

#include "base/error.h"
#include "model/problem/problem.h"
#include "verify/onednn/onednn_call.h"
#include "verify/onednn/onednn_planning.h"

namespace hone::verify {

/// Whether oneDNN computes in the problem's types at all: a user error says which it has not.
[[nodiscard]] Result<void> checkTypes(const model::Problem& problem);

/// What a user of oneDNN calls for the problem, on tensors that outlive the call. The filter of a
/// forward or backward-data convolution and the right-hand side of a matmul without a batch are
/// constant weights in practice: they are prepacked. Everything else is paid in every call. The
/// types must have been checked; throws what oneDNN throws.
[[nodiscard]] OneDnnCall planOf(const model::Problem& problem, PlainTensors& tensors,
                                Layouts layouts);

}  // namespace hone::verify
