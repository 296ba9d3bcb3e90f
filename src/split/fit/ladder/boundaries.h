#pragma once

#include <cstdint>
#include <optional>

namespace hone::split {

/// A boundary that parts two sizes, low < boundary <= high, for people to read: the roundest square
/// near their geometric middle, below `high` where there is one. Nothing where no square lies
/// there.
[[nodiscard]] std::optional<std::int64_t> squareBetween(std::int64_t low, std::int64_t high);
/// The square nearest to the geometric middle of two sizes, wherever it lies.
[[nodiscard]] std::int64_t squareNear(std::int64_t low, std::int64_t high);
/// The least square above the size.
[[nodiscard]] std::int64_t squareAfter(std::int64_t size);
/// The least square of a power of two that is above the size.
[[nodiscard]] std::int64_t squareAbove(std::int64_t size);

/// The same as squareBetween with round decimal numbers: 50000. Low must be below high.
[[nodiscard]] std::int64_t decimalBetween(std::int64_t low, std::int64_t high);
/// The least power of ten above the size.
[[nodiscard]] std::int64_t decimalAbove(std::int64_t size);

}  // namespace hone::split
