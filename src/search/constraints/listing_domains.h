#pragma once

#include <cstdint>
#include <vector>

#include "search/constraints/smt.h"

namespace hone::search {

/// The values that a variable can have, as far as they are few enough to be listed.
struct Domain {
  bool listed = false;
  std::vector<std::int64_t> values;  ///< in order

  [[nodiscard]] bool contains(std::int64_t value) const;
};

/// The values of each variable for which every assertion alone can be satisfied, as far as that is
/// cheap to find out. Every value that any solution has is among them.
[[nodiscard]] std::vector<Domain> domainsOf(const Constraints& constraints);

}  // namespace hone::search
