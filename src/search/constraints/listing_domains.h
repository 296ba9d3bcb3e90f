#pragma once

#include <cstdint>
#include <vector>

#include "search/constraints/smt.h"

namespace hone::search {

/// Possible values of a variable, if there are few enough to list.
struct Domain {
  bool listed = false;
  std::vector<std::int64_t> values;  ///< in ascending order

  [[nodiscard]] bool contains(std::int64_t value) const;
};

/// Returns for each variable the values that can satisfy every single assertion, as far as that is
/// cheap to determine. A superset of the values in all solutions.
[[nodiscard]] std::vector<Domain> computeDomains(const Constraints& constraints);

}  // namespace hone::search
