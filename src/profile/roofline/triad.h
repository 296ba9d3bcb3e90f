#pragma once

#include <cstddef>

#include "base/error.h"

namespace hone::profile {

/// Returns the number of doubles per array of the triad. The three arrays together are well above
/// the last-level cache but only a fraction of the memory.
[[nodiscard]] std::size_t triadLength();
/// Returns the number of doubles per array if the three arrays have `bytes` together.
[[nodiscard]] std::size_t triadLength(std::size_t bytes);

/// Measures the GB/s of a[i] = b[i] + s * c[i] over arrays of `length` doubles in this process.
/// Reports the best of several passes and counts three arrays per pass, as STREAM does.
[[nodiscard]] Result<double> triadBandwidth(int threads, std::size_t length);

}  // namespace hone::profile
