#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/tilelang/tilelang_knobs.h"
#include "kernel/propose/tilelang/tilelang_program.h"

namespace hone::kernel {

/// Returns the structural changes of a GPU program as knobs:
///   "pipeline"  T.Pipelined instead of a serial loop with copies
///   "copy"      T.copy instead of a loop that moves the elements of a tile
///   "epilogue"  results go through shared memory, so that stores are contiguous
///   "memory"    registers instead of shared memory
///   "swizzle"   T.use_swizzle
/// and those of productKnobs().
[[nodiscard]] std::vector<TextKnob> structureKnobs(std::string_view text);

/// Returns the lines of serial loops whose iterations are independent: each writes only elements
/// that no other iteration accesses. The twin on the CPU would not show a race.
[[nodiscard]] std::vector<int> independentLoops(const TileProgram& program);

}  // namespace hone::kernel
