#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knobs/cpu/cpu_limits.h"

namespace hone::tune {

/// A tile of a matmul's result that the innermost loops keep in vector registers.
struct RegisterTile {
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  bool operator==(const RegisterTile&) const = default;
};

/// The matmul that tiles are chosen for.
struct TiledMatmul {
  std::int64_t rows = 0;          ///< extent of the loop that is tiled by rows
  std::int64_t columns = 0;       ///< of the result
  std::int64_t sum = 0;           ///< extent of the reduction loop
  std::int64_t elementBytes = 4;  ///< of the accumulators
};

/// Returns the tiles that use the multiply-add units best, at most `count`, best first. Their
/// columns are powers of two, because the compiler does not vectorize others. Tiles whose columns
/// do not divide those of the matmul compute columns of padding.
[[nodiscard]] std::vector<RegisterTile> registerTiles(const TiledMatmul& matmul,
                                                      const knobs::CpuLimits& limits,
                                                      std::size_t count);

/// The loops of a matmul on weights in panels: parallel ones, then those over groups and panels,
/// the columns within a panel and the reduction.
struct PanelLoops {
  /// Extents of the parallel loops in front of the columns: images, rows, pixels of a row; only
  /// those of more than one iteration. The last is tiled by rows. Empty for products with a vector.
  std::vector<std::int64_t> rows;
  std::int64_t groups = 1;    ///< no loop if 1
  std::int64_t panels = 1;    ///< no loop if 1
  std::int64_t columns = 0;   ///< of a panel
  std::int64_t sum = 0;       ///< extent of the reduction loop
  std::int64_t rowBytes = 0;  ///< of the image, per iteration of all loops in `rows`
};

/// The lowering configuration of a matmul on panels, as MLIR text.
struct PanelConfig {
  std::string compilationInfo;  ///< of the root operation
  std::string loweringConfig;   ///< of others in the same dispatch
};
/// Returns the configuration that computes the matmul in these tiles. Blocks of the image fit in
/// the second-level cache, and there are enough workgroups for all cores.
[[nodiscard]] PanelConfig panelConfig(const PanelLoops& loops, const RegisterTile& tile,
                                      const knobs::CpuLimits& limits);

}  // namespace hone::tune
