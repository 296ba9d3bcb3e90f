#pragma once

#include "base/error.h"
#include "model/problem/problem.h"
#include "verify/onednn/onednn_call.h"
#include "verify/onednn/onednn_planning.h"

namespace hone::verify {

/// Fails with a user error that names the types if oneDNN does not support those of the problem.
[[nodiscard]] Result<void> checkTypes(const model::Problem& problem);

/// Plans the call of the problem on tensors that must outlive it. Prepacks operands that are
/// constant weights in practice: the filter of a forward or backward-data convolution and the
/// right-hand side of a matmul without a batch. All other work is part of every call. Requires
/// checkTypes(); throws oneDNN's exceptions.
[[nodiscard]] OneDnnCall planCall(const model::Problem& problem, PlainTensors& tensors,
                                  Layouts layouts);

}  // namespace hone::verify
