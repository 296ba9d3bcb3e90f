#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// The name that IREE's dispatch profiler gave an operation, which its users' scripts and filters
/// know: "matmul_128x128x256_f16t_f16t_f16t" (MxNxK; the types of lhs, rhs and result, t for
/// row-major and n for column-major) and "batch_matmul_16x512x64x512_…". Integers are s8, s32
/// there.
///
/// The profiler had a kind "conv2d" and never a generator of it; hone names convolutions in its
/// manner: "conv2d_fwd_16x56x56x64_128x3x3_s1x1_p1x1_d1x1_g1_f16nhwc_f16nhwc_f32nhwc" (NxHxWxC,
/// KxYxX, whatever the layout; then as in nameOf). What is fused with it is part of the kind:
/// "matmul_bias_relu_128x128x256_f32t_f32t_f32t". "attention_4x256x256x64_f16t_f16t_f16t" is
/// BATCHxQUERIESxKEYSxDEPTH.
[[nodiscard]] std::string seedName(const Problem& problem);

/// What the name begins with: "matmul", "batch_matmul", "conv2d", "matmul_bias_relu", "attention".
[[nodiscard]] std::string kindOf(const Problem& problem);

/// "f16", "s8": the type as these names write it.
[[nodiscard]] std::string_view seedType(ElementType type);

/// Reads such a name back, checked. "matmul_splitk_…" is the plain matmul: how it is split changes
/// speed and not meaning, and the profiler's name does not say it. A column-major result is a user
/// error.
[[nodiscard]] Result<Problem> problemFromSeedName(std::string_view name);

}  // namespace hone::model
