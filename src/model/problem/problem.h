#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/problem/attention.h"
#include "model/problem/conv.h"
#include "model/problem/matmul.h"
#include "model/problem/tensor_type.h"

namespace hone::model {

/// An operation with its shapes, types and layout.
using Problem = std::variant<Matmul, Conv, Attention>;

/// Why this cannot be a problem (a zero size, groups that do not divide, an empty output), or ok.
[[nodiscard]] Result<void> check(const Problem& problem);

/// A name that says all: "matmul_512x768x1024_f32", "conv_fwd_nhwc_…". Equal for equal problems
/// only.
[[nodiscard]] std::string nameOf(const Problem& problem);
/// The types of the operands in the order of the function's arguments, and of the result.
[[nodiscard]] std::vector<TensorType> operandsOf(const Problem& problem);
[[nodiscard]] TensorType resultOf(const Problem& problem);
/// How many products are summed into one element of the result.
[[nodiscard]] std::int64_t reductionLength(const Problem& problem);
/// Of the multiplications and additions; an epilogue's and a softmax's are not counted.
[[nodiscard]] double flopsOf(const Problem& problem);
[[nodiscard]] double bytesOf(const Problem& problem);
/// What follows the sums; none for an attention.
[[nodiscard]] Epilogue epilogueOf(const Problem& problem);

[[nodiscard]] nlohmann::json toJson(const Problem& problem);
[[nodiscard]] Result<Problem> problemFrom(const nlohmann::json& json);

}  // namespace hone::model
