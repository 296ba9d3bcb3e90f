#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matched.h"

namespace hone::iree {

// Reading a tuning spec in memory, in a compile child.

/// What the compiler's matchers give sizes of, in the order of their results.
inline constexpr std::array<std::string_view, 4> kContractionSizes = {"batch", "m", "n", "k"};
inline constexpr std::array<std::string_view, 8> kConvolutionSizes = {
    "batch",         "output_image", "output_channel", "filter",
    "input_channel", "depth",        "strides",        "dilations"};
inline constexpr std::array<std::string_view, 5> kAttentionSizes = {"batch", "m", "n", "k1", "k2"};

/// A matcher and what is done with what it matches.
struct SpecPair {
  std::string matcher;
  std::string action;
};

/// The pairs of all foreach_match operations of a spec, in the order they are tried in.
[[nodiscard]] std::vector<SpecPair> pairsIn(const CompilerApi& api, MlirOperation module);

/// The named sequence of this name, nullptr where there is none.
[[nodiscard]] MlirOperation sequenceOf(const CompilerApi& api, MlirOperation module,
                                       std::string_view name);

/// One entry of a spec: a matcher with its action.
struct SpecEntryDescription {
  std::string name;    ///< of its matcher
  std::string action;  ///< the sequence that runs on what it matches
  Matched matched;
  std::string config;           ///< its compilation_info; "" if it yields none
  std::string loweringConfig;   ///< part of config
  std::string translationInfo;  ///< part of config
  std::string text;             ///< the matcher as MLIR
  std::string key;              ///< equal for matchers that match the same
};

/// A sequence that entries name as their action.
struct SpecAction {
  std::string text;
  std::string key;  ///< equal for actions that do the same
};

/// The contents of a tuning spec.
struct SpecDescription {
  std::vector<SpecEntryDescription> entries;  ///< in the order they are tried in
  std::map<std::string, SpecAction> actions;
  std::map<std::string, std::string> helpers;  ///< other sequences, as MLIR
  std::vector<std::string> entryPoints;
};

/// Describes the spec that a module holds.
[[nodiscard]] SpecDescription describeSpec(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
