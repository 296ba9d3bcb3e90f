#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/nest/sum_nest.h"

namespace hone::kernel::nest {

struct TileShape {
  std::int64_t rows = 8;      ///< of the register tile
  std::int64_t vectors = 3;   ///< of the tile per row
  std::int64_t width = 16;    ///< floats per vector
  bool pack = false;          ///< copy a panel of the right-hand side first
  std::int64_t depth = 256;   ///< of a packed panel
  std::int64_t rowBlock = 0;  ///< rows per use of a panel; 0: all
  std::int64_t unroll = 1;
  bool prefetch = false;
};

/// Returns code that computes the contraction, and adds the helpers it needs to the function.
/// Returns nothing if the shape does not fit: a right-hand side that is not contiguous must be
/// packed, and only sums over one loop can be packed.
[[nodiscard]] std::optional<std::vector<std::string>> contractionCode(
    Function& function, const Contraction& contraction, const TileShape& shape);

}  // namespace hone::kernel::nest
