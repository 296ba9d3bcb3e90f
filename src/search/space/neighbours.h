#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "search/space/coordinates.h"

namespace hone::search {

/// Which legal points lie near: the constraints tie knobs together, so a step along one alone often
/// leads out of the space.
class Neighbours {
 public:
  explicit Neighbours(const Coordinates& coordinates) : coordinates_(coordinates) {}

  /// Those that are the fewest steps from the point, a step being the next value of a knob or
  /// another option. Remembered, as a good point has many children.
  [[nodiscard]] const std::vector<std::size_t>& of(std::size_t point);
  /// The point that has each value from one parent or the other, or one of those nearest to that.
  [[nodiscard]] std::size_t child(std::size_t mother, std::size_t father, Random& random) const;

 private:
  const Coordinates& coordinates_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> known_;
};

}  // namespace hone::search
