#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matched.h"
#include "iree/module/matcher/operation_form.h"

namespace hone::iree {

// Reads a tuning spec in memory, in a compile child.

/// The names of the sizes that the compiler's matchers return, in the order of their results.
inline constexpr std::array<std::string_view, 4> kContractionSizes = {"batch", "m", "n", "k"};
inline constexpr std::array<std::string_view, 8> kConvolutionSizes = {
    "batch",         "output_image", "output_channel", "filter",
    "input_channel", "depth",        "strides",        "dilations"};
inline constexpr std::array<std::string_view, 5> kAttentionSizes = {"batch", "m", "n", "k1", "k2"};

/// A matcher operation for the structure of an operation.
struct StructureMatcher {
  std::string_view op;
  std::string_view kind;
  std::span<const std::string_view> sizes;  ///< names of its results
};
/// Returns the structure matcher with this operation name, or null.
[[nodiscard]] const StructureMatcher* findStructureMatcher(std::string_view op);

/// Returns the element types that a structure matcher requires, in operand order.
[[nodiscard]] std::vector<std::string> structureTypes(const CompilerApi& api,
                                                      MlirOperation matcher);

/// A matcher and the action on the operations that it matches.
struct SpecPair {
  std::string matcher;
  std::string action;
};

/// Returns the pairs of all foreach_match operations of a spec, in matching order.
[[nodiscard]] std::vector<SpecPair> pairsIn(const CompilerApi& api, MlirOperation module);

/// Returns the named sequence with this name, or a null operation.
[[nodiscard]] MlirOperation findSequence(const CompilerApi& api, MlirOperation module,
                                         std::string_view name);

/// An entry of a spec: a matcher with its action.
struct SpecEntryDescription {
  std::string name;    ///< of its matcher
  std::string action;  ///< the sequence that runs on the matched operation
  Matched matched;
  std::string config;           ///< its compilation_info; "" if it yields none
  std::string loweringConfig;   ///< part of config
  std::string translationInfo;  ///< part of config
  std::string text;             ///< the matcher as MLIR
  std::string key;              ///< equal for equivalent matchers
  OperationForm form;           ///< the form of the operations that it matches
};

/// A sequence that entries use as their action.
struct SpecAction {
  std::string text;
  std::string key;  ///< equal for equivalent actions
};

/// The contents of a tuning spec.
struct SpecDescription {
  std::vector<SpecEntryDescription> entries;  ///< in matching order
  std::map<std::string, SpecAction> actions;
  std::map<std::string, std::string> helpers;  ///< other sequences, as MLIR
  std::vector<std::string> entryPoints;
};

/// Describes the spec in a module.
[[nodiscard]] SpecDescription describeSpec(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
