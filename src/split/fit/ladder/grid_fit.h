#pragma once

#include "split/fit/cases.h"

namespace hone::split {

/// Fits a ladder over the output size and, within each band, over the reduction size: at most 6
/// bands of at most 4 limits. Optimal for its candidate boundaries and the price of a rung, which
/// fitAtBestPrice chooses.
[[nodiscard]] Ladder fitGrid(const Cases& cases);

}  // namespace hone::split
