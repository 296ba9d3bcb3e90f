#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// Returns the operation name of IREE's dispatch profiler, which its users' scripts and filters
/// rely on. Examples: "matmul_128x128x256_f16t_f16t_f16t" and "batch_matmul_16x512x64x512_…". The
/// parts are MxNxK and the types of lhs, rhs and result, with t for row-major and n for
/// column-major. Integer types are written s8, s32; i1 is b1.
///
/// The profiler had a kind "conv2d" but no generator for it. hone names convolutions in the same
/// style: "conv2d_fwd_16x56x56x64_128x3x3_s1x1_p1x1_d1x1_g1_f16nhwc_f16nhwc_f32nhwc" (NxHxWxC and
/// KxYxX for every layout, the rest as in nameOf). A fused epilogue is part of the kind:
/// "matmul_bias_relu_128x128x256_f32t_f32t_f32t". "attention_4x256x256x64_f16t_f16t_f16t" is
/// BATCHxQUERIESxKEYSxDEPTH.
[[nodiscard]] std::string profilerName(const Problem& problem);

/// Returns the prefix of the name: "matmul", "batch_matmul", "conv2d", "matmul_bias_relu",
/// "attention".
[[nodiscard]] std::string profilerKind(const Problem& problem);

/// Returns the type as written in these names: "f16", "s8".
[[nodiscard]] std::string_view profilerType(ElementType type);

/// Parses an operation name and checks the problem. "matmul_splitk_…" is read as the plain matmul:
/// splitting changes the speed but not the result, and the name does not contain the split. Also
/// accepts one row-major type for all tensors of a matmul: "matmul_512x768x1024_f32". A
/// column-major result is a user error.
[[nodiscard]] Result<Problem> problemFromProfilerName(std::string_view name);

}  // namespace hone::model
