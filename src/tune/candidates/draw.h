#pragma once

#include <cstdint>
#include <vector>

#include "search/space/coordinates.h"
#include "search/space/space.h"

namespace hone::tune {

/// Draws points spread over a space without measurements. Learns only from compile results: points
/// similar to failed ones are drawn last. The space must outlive it.
class Draw {
 public:
  /// Draws the points of `first` before the others.
  Draw(const search::Space& space, std::uint64_t seed, std::vector<std::size_t> first = {});

  /// Returns up to `count` points; never returns a point twice.
  [[nodiscard]] std::vector<std::size_t> next(std::size_t count);
  void tell(std::size_t point, bool compiled);
  /// Reports that the point compiled to the same code as another. Knobs in which the two differ
  /// have no effect, so points that differ from tried ones only in such knobs are drawn last.
  void tellSame(std::size_t point, std::size_t other);
  /// Returns the number of points to draw from, which is limited for large spaces.
  [[nodiscard]] std::size_t reach() const { return reach_; }

 private:
  struct CompileResult {
    std::size_t point = 0;
    bool compiled = false;
  };
  /// Returns the fraction of failures among the nearest tried points. Far points count less: if all
  /// tried points failed, the points farthest from them have the lowest risk.
  [[nodiscard]] double risk(std::size_t point) const;
  /// Returns the point's ranks without the knobs that had no effect.
  [[nodiscard]] std::vector<std::uint32_t> effectiveRanks(std::size_t point) const;

  search::Coordinates coordinates_;
  std::vector<std::size_t> remaining_;  ///< remaining points, in drawing order
  std::size_t reach_ = 0;
  std::vector<CompileResult> results_;
  std::vector<bool> ineffective_;  ///< by dimension: changes had no effect on the code
};

}  // namespace hone::tune
