#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/target.h"

namespace hone::tune {

/// Flags of the whole program that are worth a try together, none of which changes what it means.
struct FlagSet {
  std::string name;
  std::vector<std::string> flags;
  std::string why;
  /// A transform script; its file is to be given with --iree-preprocessing-transform-spec-filename.
  std::string preprocessing = "";  // NOLINT(readability-redundant-string-init): g++ warns

  bool operator==(const FlagSet&) const = default;
};

/// The set with its script in a file of the cache and the flag that names it among its flags.
[[nodiscard]] Result<FlagSet> withScript(FlagSet set);
inline constexpr std::string_view kScriptFlag = "--iree-preprocessing-transform-spec-filename=";

/// What to try for a target, the likeliest first; without the empty set, which is the compiler's
/// own choice.
[[nodiscard]] std::vector<FlagSet> flagSets(const iree::Target& target);

}  // namespace hone::tune
