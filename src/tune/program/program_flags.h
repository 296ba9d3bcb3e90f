#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/toolchain/target.h"
#include "model/problem/layer.h"
#include "tune/layers/layer_rewrites.h"

namespace hone::tune {

/// Program-wide flags to try together. They do not change the program's semantics.
struct FlagSet {
  std::string name;
  std::vector<std::string> flags;
  std::string why;
  /// Transform script; passed as a file with --iree-preprocessing-transform-spec-filename.
  std::string preprocessing = "";  // NOLINT(readability-redundant-string-init): g++ warns

  bool operator==(const FlagSet&) const = default;
};

/// Writes the set's script to a file in the cache and adds the flag that names it, once.
[[nodiscard]] Result<FlagSet> withScript(FlagSet set);
inline constexpr std::string_view kScriptFlag = "--iree-preprocessing-transform-spec-filename=";

/// Returns the flag sets to try for a program with these layers, most promising first. The empty
/// set, which is the compiler's default, is not included.
[[nodiscard]] std::vector<FlagSet> flagSets(const iree::Target& target,
                                            std::span<const model::Layer> layers);

/// The ways of all layers for one flag set.
struct LayerAssignment {
  std::string name;  ///< of the flag set
  std::string why;
  std::vector<LayerChoice> choices;
};

/// Returns the flag sets that compute each layer in its own way. Assignments with equal choices
/// yield one set.
[[nodiscard]] std::vector<FlagSet> layerSets(std::span<const LayerAssignment> assignments);

/// Returns the flag set combined with further flags that it does not contain.
[[nodiscard]] std::vector<FlagSet> extendedSets(const FlagSet& set);

/// Successes per name of a flag set.
using FlagGains = std::map<std::string, std::int64_t>;
/// Moves sets with more successes to the front. A success of an extended set counts for the
/// original, too.
void rankByGains(const FlagGains& gains, std::vector<FlagSet>& sets);

}  // namespace hone::tune
