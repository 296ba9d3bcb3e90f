#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "search/space/coordinates.h"

namespace hone::search {

/// Finds legal points near a point. Constraints couple knobs, so changing a single knob often
/// leaves the space.
class Neighbours {
 public:
  explicit Neighbours(const Coordinates& coordinates) : coordinates_(coordinates) {}

  /// Returns the points with the fewest steps to `point`. A step is the adjacent value of a knob or
  /// another option. Cached, because good points are requested often.
  [[nodiscard]] const std::vector<std::size_t>& of(std::size_t point);
  /// Returns the point that takes each value from one of the two parents, or one of the points
  /// nearest to it.
  [[nodiscard]] std::size_t child(std::size_t mother, std::size_t father, Random& random) const;

 private:
  const Coordinates& coordinates_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> known_;
};

}  // namespace hone::search
