#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/target.h"
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

/// Writes the set's script to a file in the cache and adds the flag that names it.
[[nodiscard]] Result<FlagSet> withScript(FlagSet set);
inline constexpr std::string_view kScriptFlag = "--iree-preprocessing-transform-spec-filename=";

/// Returns the flag sets to try for a program with these layers, most promising first. The empty
/// set, which is the compiler's default, is not included.
[[nodiscard]] std::vector<FlagSet> flagSets(const iree::Target& target,
                                            std::span<const model::Layer> layers);

/// Returns the flag sets that compute each layer in its own way: as measured, and as estimated if
/// that differs.
[[nodiscard]] std::vector<FlagSet> layerSets(std::span<const LayerChoice> measured,
                                             std::span<const LayerChoice> estimated);

}  // namespace hone::tune
