#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"
#include "search/constraints/smt.h"
#include "search/space/space.h"

namespace hone::search {

/// No space of a real dispatch that was seen has as many points.
constexpr std::size_t kMostPoints = 200'000;

struct Listing {
  Space space;
  bool complete = true;  ///< false: there are more points than the limit, these are a part of them
};

/// All combinations of values of the knobs with which the constraints can be satisfied; the other
/// variables may have any values. The values of the knobs given are filled in. Of more points than
/// the limit so many are kept, drawn evenly from the first sixteen times as many that are found.
/// A knob that is no variable is a user error, and so is a variable without usable bounds.
[[nodiscard]] Result<Listing> listPoints(const Constraints& constraints, std::vector<Knob> knobs,
                                         std::size_t limit = kMostPoints);

/// The same for ordered knobs of these names.
[[nodiscard]] Result<Listing> listPoints(const Constraints& constraints,
                                         const std::vector<std::string>& knobNames,
                                         std::size_t limit = kMostPoints);

}  // namespace hone::search
