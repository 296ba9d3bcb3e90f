#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/module/matcher/matched.h"

namespace hone::iree {

/// The action that puts an entry's configuration on what its matcher matches.
inline constexpr std::string_view kApplyConfig = "apply_op_config";

/// One entry of a tuning spec to be written.
struct SpecEntry {
  std::string name;             ///< of its matcher; what a symbol cannot hold becomes '_'
  std::string comment;          ///< for people: what it matches, what was gained
  std::string matcher;          ///< operations on %op, see DispatchMatcher
  std::string compilationInfo;  ///< the attribute as MLIR text
  /// What the products of an attention are told, the same; "" for none.
  std::string decompositionConfig{};  // NOLINT(readability-redundant-member-init)
};

/// The entries as a tuning spec that the compiler links with its own: named, with one entry point.
/// No entry, or two of one name, is a user error.
[[nodiscard]] Result<std::string> specText(std::span<const SpecEntry> entries);

/// A named sequence of a spec, with its comment.
struct SpecSequence {
  std::string comment;
  std::string text;
};

/// A whole spec of sequences that are MLIR text already.
struct SpecParts {
  std::vector<SpecSequence> actions;
  std::vector<SpecSequence> matchers;
  std::vector<std::string> pairs;  ///< "@matcher -> @action", in the order they are tried in
};
[[nodiscard]] std::string specText(const SpecParts& parts);

/// Describes it in few words: "contraction m=512 n=768 k=1024, f32 f32 f32".
[[nodiscard]] std::string shown(const Matched& matched);

/// What matches the root operation of a dispatch.
struct DispatchMatcher {
  std::string dispatch;
  Matched matched;
  std::string matcher;  ///< for SpecEntry; "" where there is none
  std::string whyNot;   ///< a sentence where there is none
  /// False where the matcher goes by the operation's name and types only: it may match others.
  bool exact = true;
  /// Dispatches that the same matcher matches and that are the same but for their names.
  std::vector<std::string> equal;
  /// Dispatches that the same matcher matches although they are not the same: what is fused with
  /// the root differs. A spec cannot give them different configurations.
  std::vector<std::string> alike;
};

/// The matchers of all dispatches of a program that have a root operation.
[[nodiscard]] Result<std::vector<DispatchMatcher>> matchersOf(Compiler& compiler,
                                                              const CompileRequest& request);

}  // namespace hone::iree
