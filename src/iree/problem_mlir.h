#pragma once

#include <string>
#include <string_view>

#include "model/problem.h"

namespace hone::iree {

/// The problem as a function in linalg on tensors, with the operands and the result of
/// model::operandsOf and model::resultOf; sums are made in the result's type, from zero.
/// The problem must have passed model::check.
[[nodiscard]] std::string mlirOf(const model::Problem& problem, std::string_view function = "main");

}  // namespace hone::iree
