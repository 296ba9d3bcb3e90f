#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"
#include "knobs/loop_roles.h"

namespace hone::knobs {

/// Loops of a product of two tensors, by their role in the result. If there are several loops of a
/// kind, only the innermost is tiled.
struct ProductLoops {
  std::optional<std::size_t> along;   ///< contiguous in the result
  std::optional<std::size_t> across;  ///< over the rows of the result
  std::optional<std::size_t> sum;     ///< reduced
};

[[nodiscard]] ProductLoops findProductLoops(const model::RootOperation& root,
                                            const LoopRoles& roles);

/// The part of a product that is held in registers.
struct RegisterTile {
  std::int64_t across, along, sum;
};

/// Returns the configuration with this tile; all other loops have tile size 1.
[[nodiscard]] CpuConfig withRegisterTile(const model::RootOperation& root,
                                         const ProductLoops& loops, const RegisterTile& tile);

/// Lists tilings of convolutions and of all forms of matmul: batched, transposed, matrix-vector,
/// and with many loops.
[[nodiscard]] Result<Listing> cpuProduct(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::knobs
