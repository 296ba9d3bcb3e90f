#pragma once

#include <string>
#include <vector>

#include "iree/target.h"

namespace hone::tune {

/// Flags of the whole program that are worth a try together, none of which changes what it means.
struct FlagSet {
  std::string name;
  std::vector<std::string> flags;
  std::string why;

  bool operator==(const FlagSet&) const = default;
};

/// What to try for a target, the likeliest first; without the empty set, which is the compiler's
/// own choice.
[[nodiscard]] std::vector<FlagSet> flagSets(const iree::Target& target);

}  // namespace hone::tune
