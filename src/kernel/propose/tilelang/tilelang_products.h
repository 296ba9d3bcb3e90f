#pragma once

#include <string_view>
#include <vector>

#include "kernel/propose/tilelang/tilelang_knobs.h"
#include "kernel/propose/tilelang/tilelang_program.h"

namespace hone::kernel {

/// Returns knobs that replace hand-written sums of a GPU program:
///   "product"    acc[i, j] += a[…] * b[…] over k by T.gemm, or by tiles in shared memory, in a
///                pipeline of copies. T.gemm is proposed for 8 and 16 bit types only: wider ones
///                would lose bits in tensor cores, which the twin on the CPU does not show.
///   "reduction"  acc[i] += … over a serial loop by tiles and T.reduce_sum; also T.max and T.min.
[[nodiscard]] std::vector<TextKnob> productKnobs(const TileProgram& program);

}  // namespace hone::kernel
