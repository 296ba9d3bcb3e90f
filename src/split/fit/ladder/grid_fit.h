#pragma once

#include "split/fit/cases.h"

namespace hone::split {

/// Fits a ladder over the output size and, within each band, over the reduction size: at most 6
/// bands of at most 4 limits. For any reduction size, limits do not grow with the output size:
/// neighbouring bands that violate this are merged. Apart from that, the ladder is optimal for its
/// candidate boundaries and the price of a rung, which fitAtBestPrice chooses.
[[nodiscard]] Ladder fitGrid(const Cases& cases);

}  // namespace hone::split
