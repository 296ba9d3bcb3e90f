#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/space/coordinates.h"
#include "search/space/space.h"

namespace hone::search {

/// Points that are spread over the space: each is far from all before it and prefers values of
/// knobs that came up seldom so far. None twice; all points where `count` is as large as the space.
/// The same seed gives the same points.
[[nodiscard]] std::vector<std::size_t> diversePoints(const Space& space, std::size_t count,
                                                     std::uint64_t seed);

/// The same of some of the points only, whose coordinates are known.
[[nodiscard]] std::vector<std::size_t> diversePoints(const Coordinates& coordinates,
                                                     std::vector<std::size_t> among,
                                                     std::size_t count, std::uint64_t seed);

/// Adds the points of the least cost that are not neighbours of each other, nor of those that are
/// there already, until there are `count`. Neighbours differ in one knob.
void addCheapest(const Space& space, const std::vector<double>& costs, std::size_t count,
                 std::vector<std::size_t>& points);

}  // namespace hone::search
