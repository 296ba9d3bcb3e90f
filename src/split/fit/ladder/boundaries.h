#pragma once

#include <cstdint>
#include <optional>

namespace hone::split {

/// Returns a readable boundary between two sizes, low < boundary <= high: the roundest square near
/// their geometric mean, preferably below `high`. Returns nullopt if there is no square between
/// them.
[[nodiscard]] std::optional<std::int64_t> squareBetween(std::int64_t low, std::int64_t high);
/// Returns the square nearest to the geometric mean of two sizes, which may be outside their range.
[[nodiscard]] std::int64_t squareNear(std::int64_t low, std::int64_t high);
/// Returns the smallest square above the size.
[[nodiscard]] std::int64_t squareAfter(std::int64_t size);
/// Returns the smallest square of a power of two above the size.
[[nodiscard]] std::int64_t squareAbove(std::int64_t size);

/// Like squareBetween, with round decimal numbers: 50000. `low` must be below `high`.
[[nodiscard]] std::int64_t decimalBetween(std::int64_t low, std::int64_t high);
/// Returns the smallest power of ten above the size.
[[nodiscard]] std::int64_t decimalAbove(std::int64_t size);

}  // namespace hone::split
