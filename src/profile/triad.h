#pragma once

#include <cstddef>

#include "base/error.h"

namespace hone::profile {

/// How many doubles each of the triad's three arrays has: together well above the last-level cache,
/// but never more than a part of the memory.
[[nodiscard]] std::size_t triadLength();

/// GB/s of a[i] = b[i] + s * c[i] over arrays of `length` doubles in this process: the best of
/// several passes, three arrays of bytes counted a pass, as STREAM does.
[[nodiscard]] Result<double> triadBandwidth(int threads, std::size_t length);

}  // namespace hone::profile
