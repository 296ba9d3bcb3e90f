#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// Parses an operation of PyTorch as IREE's BOO driver spells it: the name and four lists (sizes,
/// types, strides, values), quoted as for a shell or separated by tabs:
///
///   aten::mm "[[64, 256], [256, 32]]" "['float', 'float']" "[[256, 1], [32, 1]]" "['', '']"
///
/// Supports aten::mm, aten::bmm, and aten::addmm with a bias per column. As for gemm commands, sums
/// of 16-bit types are f32. Operands must be stored row by row or transposed. Errors say what is
/// wrong and what to do.
[[nodiscard]] Result<std::vector<Problem>> problemsFromAten(std::string_view command);

}  // namespace hone::model
