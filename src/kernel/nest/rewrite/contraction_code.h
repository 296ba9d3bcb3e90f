#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/nest/sum_nest.h"

namespace hone::kernel::nest {

struct TileShape {
  std::int64_t rows = 8;      ///< of the tile that is kept in registers
  std::int64_t vectors = 3;   ///< of the tile, across
  std::int64_t width = 16;    ///< floats in a vector
  bool pack = false;          ///< copy a panel of the right-hand side first
  std::int64_t depth = 256;   ///< of a panel
  std::int64_t rowBlock = 0;  ///< rows that a panel is used for before the next; 0: all
  std::int64_t unroll = 1;
  bool prefetch = false;
};

/// Lines that compute the contraction; nothing where the shape does not fit it: a right-hand side
/// that is not in order must be packed, and only sums over one loop can be. Helpers that the lines
/// need are added to the function.
[[nodiscard]] std::optional<std::vector<std::string>> contractionCode(
    Function& function, const Contraction& contraction, const TileShape& shape);

}  // namespace hone::kernel::nest
