#pragma once

#include <string>
#include <string_view>

#include "model/problem/problem.h"

namespace hone::iree {

/// Returns the problem as a linalg function on tensors, with the operands of model::operandTypes()
/// and the result of model::resultType(). Sums start at zero and use the result's type (f32 for an
/// attention).
///
/// `rootAttributes` is added to the attribute dictionary of the root operation, for example
/// "compilation_info = #config" or "iree_linalg_ext.split_reduction = [64 : index]". The caller
/// writes the aliases that it uses (#config) before the function.
/// The problem must have passed model::check().
[[nodiscard]] std::string emitMlir(const model::Problem& problem,
                                   std::string_view function = "main",
                                   std::string_view rootAttributes = "");

}  // namespace hone::iree
