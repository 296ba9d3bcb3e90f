#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "search/space/coordinates.h"

namespace hone::search {

/// Input features of the learners: a point's coordinates and its cost by the static model.
class Features {
 public:
  Features(const Coordinates& coordinates, const std::function<double(std::size_t)>& guess);

  [[nodiscard]] std::span<const float> of(std::size_t point) const {
    return std::span(rows_).subspan(point * width(), width());
  }
  [[nodiscard]] std::size_t width() const { return ordered_.size(); }
  [[nodiscard]] const std::vector<bool>& ordered() const { return ordered_; }
  /// Returns all points, cheapest by the static model first; empty without a model.
  [[nodiscard]] const std::vector<std::size_t>& byGuess() const { return byGuess_; }

 private:
  std::vector<bool> ordered_;
  std::vector<float> rows_;
  std::vector<std::size_t> byGuess_;
};

}  // namespace hone::search
