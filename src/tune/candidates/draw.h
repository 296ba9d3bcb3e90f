#pragma once

#include <cstdint>
#include <vector>

#include "search/space/coordinates.h"
#include "search/space/space.h"

namespace hone::tune {

/// Draws points that are spread over a space where nothing can be measured: the only thing to learn
/// from is what did not compile. Points like those that failed are drawn last. The space must
/// outlive it.
class Draw {
 public:
  Draw(const search::Space& space, std::uint64_t seed);

  /// Up to so many, none twice.
  [[nodiscard]] std::vector<std::size_t> next(std::size_t count);
  void tell(std::size_t point, bool compiled);
  /// The point is the same code as another. What differs between the two changes nothing there, so
  /// points that differ from those tried in nothing else are drawn last.
  void tellSame(std::size_t point, std::size_t other);
  /// How many points it draws from; of a large space that is not all.
  [[nodiscard]] std::size_t reach() const { return reach_; }

 private:
  struct Told {
    std::size_t point = 0;
    bool compiled = false;
  };
  /// The share of failures among the nearest points that were tried, from 0 to 1.
  [[nodiscard]] double risk(std::size_t point) const;
  /// The point without the knobs that were seen to change nothing.
  [[nodiscard]] std::vector<std::uint32_t> essence(std::size_t point) const;

  search::Coordinates coordinates_;
  std::vector<std::size_t> left_;  ///< in the order of the spread
  std::size_t reach_ = 0;
  std::vector<Told> told_;
  std::vector<bool> idle_;  ///< by dimension: seen to change nothing
};

}  // namespace hone::tune
