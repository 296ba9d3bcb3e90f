#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/module/compiler_api.h"

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

/// What a spec says:
/// {"name": the module's, "entries": [{"name", "action", "kind": "contraction", "convolution",
///   "attention", "dag" or "other", "op", "types": [element types or operand types],
///   "sizes": [{"name", "values"}], "config", "lowering_config", "translation_info",
///   "text": the matcher as MLIR, "key": equal for matchers that match the same}],
///  "actions": {name: {"text", "key"}}, "helpers": {name: text}, "entrypoints": [name]}
[[nodiscard]] nlohmann::json specEntries(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
