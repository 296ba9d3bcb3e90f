#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"
#include "search/constraints/smt.h"
#include "search/space/space.h"

namespace hone::search {

/// Above the size of every space seen for a real dispatch.
constexpr std::size_t kMaxPoints = 200'000;

struct Listing {
  Space space;
  bool complete = true;  ///< false: there are more points than the limit; these are a sample
};

/// Lists all combinations of knob values that satisfy the constraints for some values of the other
/// variables. Fills in the values of the knobs.
///
/// If there are more points than `limit`, returns a uniform sample of that size from the first 16 *
/// `limit` points found. Fails with a user error if a knob is not a variable or a variable has no
/// usable bounds.
[[nodiscard]] Result<Listing> listPoints(const Constraints& constraints, std::vector<Knob> knobs,
                                         std::size_t limit = kMaxPoints);

/// Overload for ordered knobs with these names.
[[nodiscard]] Result<Listing> listPoints(const Constraints& constraints,
                                         const std::vector<std::string>& knobNames,
                                         std::size_t limit = kMaxPoints);

}  // namespace hone::search
