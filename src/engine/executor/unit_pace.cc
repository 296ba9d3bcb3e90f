#include "engine/executor/unit_pace.h"

#include <algorithm>

#include "base/machine.h"

namespace hone::engine {

bool UnitPace::isOver() const {
  const auto left = clock_.leftUntil(fraction_);
  if (!left) {
    return false;
  }
  if (clock_.spent(fraction_)) {
    return true;
  }
  const auto elapsed = clock_.used() - start_;
  return finished_ > 0 && elapsed * static_cast<std::int64_t>(places_) / finished_ > *left;
}

std::size_t UnitPace::window() const {
  return places_ == 1 && clock_.leftUntil(1) ? std::max<std::size_t>(cpuCount(), 2) : SIZE_MAX;
}

}  // namespace hone::engine
