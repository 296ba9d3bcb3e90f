#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"
#include "knobs/loop_roles.h"

namespace hone::knobs {

/// The loops of a product of two tensors seen from its result. Of several loops of a kind the
/// innermost has all the tiles.
struct ProductLoops {
  std::optional<std::size_t> along;   ///< walks through neighbours of the result
  std::optional<std::size_t> across;  ///< walks through its rows
  std::optional<std::size_t> sum;     ///< is summed over
};

[[nodiscard]] ProductLoops productLoopsOf(const model::RootOperation& root, const LoopRoles& roles);

/// The part of a product that is held in registers.
struct RegisterTile {
  std::int64_t across, along, sum;
};

/// Returns the configuration with this tile; every other loop goes one step at a time.
[[nodiscard]] CpuConfig withRegisterTile(const model::RootOperation& root,
                                         const ProductLoops& loops, const RegisterTile& tile);

/// Tilings of matmuls in all their forms (batched, transposed, of vectors, of many loops) and of
/// convolutions.
[[nodiscard]] Result<Listing> cpuProduct(const model::RootOperation& root, const CpuLimits& limits);

}  // namespace hone::knobs
