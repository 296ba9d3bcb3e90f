#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/space/coordinates.h"
#include "search/space/space.h"

namespace hone::search {

/// Returns `count` distinct points spread over the space, or all if it is smaller. Each is far from
/// all earlier ones and prefers knob values that were rare so far; points after the first 1024
/// follow in random order. Deterministic for a given seed.
[[nodiscard]] std::vector<std::size_t> diversePoints(const Space& space, std::size_t count,
                                                     std::uint64_t seed);

/// Overload for a subset of the points, given the coordinates.
[[nodiscard]] std::vector<std::size_t> diversePoints(const Coordinates& coordinates,
                                                     std::vector<std::size_t> among,
                                                     std::size_t count, std::uint64_t seed);

/// Appends the cheapest points until there are `count`, skipping neighbours of points already in
/// the list. Neighbours differ in one knob.
void addCheapest(const Space& space, const std::vector<double>& costs, std::size_t count,
                 std::vector<std::size_t>& points);

}  // namespace hone::search
