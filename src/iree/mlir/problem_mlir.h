#pragma once

#include <string>
#include <string_view>

#include "model/problem/problem.h"

namespace hone::iree {

/// The problem as a function in linalg on tensors, with the operands and the result of
/// model::operandsOf and model::resultOf; sums are made in the result's type, from zero (those of
/// an attention in f32). `rootAttributes` is put into the attribute dictionary of the operation
/// that does the work: "compilation_info = #config", "iree_linalg_ext.split_reduction = [64 :
/// index]"; what it names (#config) the caller puts before the function.
/// The problem must have passed model::check.
[[nodiscard]] std::string mlirOf(const model::Problem& problem, std::string_view function = "main",
                                 std::string_view rootAttributes = "");

}  // namespace hone::iree
