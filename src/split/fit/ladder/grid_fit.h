#pragma once

#include "split/fit/cases.h"

namespace hone::split {

/// The ladder over the output size and, within its bands, over the reduction size: at most 6 bands
/// of at most 4 limits. Exact for its candidate boundaries and the price of a rung, which
/// fitAtBestPrice finds.
[[nodiscard]] Ladder fitGrid(const Cases& cases);

}  // namespace hone::split
