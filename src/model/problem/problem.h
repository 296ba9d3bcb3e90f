#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/problem/operation/attention.h"
#include "model/problem/operation/conv.h"
#include "model/problem/operation/matmul.h"
#include "model/problem/tensor_type.h"

namespace hone::model {

/// An operation with its shapes, types and layout.
using Problem = std::variant<Matmul, Conv, Attention>;

/// Returns a user error if the problem is invalid: a zero size, groups that do not divide the
/// channels, an empty output, a tensor whose size overflows.
[[nodiscard]] Result<void> check(const Problem& problem);

/// Returns a complete, unique name: "matmul_512x768x1024_f32", "conv_fwd_nhwc_…".
[[nodiscard]] std::string nameOf(const Problem& problem);
/// Returns the operand types in the order of the function's arguments.
[[nodiscard]] std::vector<TensorType> operandTypes(const Problem& problem);
[[nodiscard]] TensorType resultType(const Problem& problem);
/// Returns the number of products summed into one element of the result; of an attention, those of
/// its second matmul.
[[nodiscard]] std::int64_t reductionLength(const Problem& problem);
/// Returns the number of multiplications and additions, without those of an epilogue or a softmax.
[[nodiscard]] double countFlops(const Problem& problem);
/// Returns the size of all operands and the result, each counted once.
[[nodiscard]] double countBytes(const Problem& problem);
/// Returns the fused epilogue; none for an attention.
[[nodiscard]] Epilogue findEpilogue(const Problem& problem);

[[nodiscard]] nlohmann::json toJson(const Problem& problem);
[[nodiscard]] Result<Problem> problemFrom(const nlohmann::json& json);

}  // namespace hone::model
