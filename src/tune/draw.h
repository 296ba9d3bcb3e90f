#pragma once

#include <cstdint>
#include <vector>

#include "search/coordinates.h"
#include "search/space.h"

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

 private:
  struct Told {
    std::size_t point = 0;
    bool compiled = false;
  };
  /// The share of failures among the nearest points that were tried, from 0 to 1.
  [[nodiscard]] double risk(std::size_t point) const;

  search::Coordinates coordinates_;
  std::vector<std::size_t> left_;  ///< in the order of the spread
  std::vector<Told> told_;
};

}  // namespace hone::tune
