#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/module/matcher/matched.h"

namespace hone::iree {

/// The action that attaches an entry's configuration to the matched operation.
inline constexpr std::string_view kApplyConfig = "apply_op_config";

/// Configuration of another operation in the function of the matched one.
struct SpecCompanion {
  std::string op;              ///< "linalg.generic#1": the second of that name in the function
  std::string loweringConfig;  ///< the attribute as MLIR text
};

/// An entry of a tuning spec to write.
struct SpecEntry {
  std::string name;             ///< of the matcher; characters invalid in a symbol become '_'
  std::string comment;          ///< written above the matcher: the problem and the speedup
  std::string matcher;          ///< operations on %op, see DispatchMatcher
  std::string compilationInfo;  ///< the attribute as MLIR text
  /// The configuration of an attention's matmuls, also as MLIR text; "" for none.
  std::string decompositionConfig{};
  /// Must be empty if decompositionConfig is set.
  std::vector<SpecCompanion> companions{};
};

/// Returns the configurations that a config gives to operations other than the root.
[[nodiscard]] std::vector<SpecCompanion> findCompanions(const model::Config& config);

/// Returns a tuning spec of the entries that the compiler can link with its own: a named module
/// with one entry point. Fails with a user error if there is no entry or a name occurs twice.
[[nodiscard]] Result<std::string> specText(std::span<const SpecEntry> entries);

/// Returns the matcher of an entry as a named sequence.
[[nodiscard]] std::string matcherSequence(const SpecEntry& entry);

/// Renames a symbol in MLIR text. Replaces whole symbols only: "@a", but not the prefix of "@ab".
[[nodiscard]] std::string renamedSymbol(std::string text, const std::string& from,
                                        const std::string& to);

/// A named sequence of a spec, with its comment.
struct SpecSequence {
  std::string comment;
  std::string text;
};

/// The sequences of a spec, already printed as MLIR.
struct SpecParts {
  std::vector<SpecSequence> actions;
  std::vector<SpecSequence> matchers;
  std::vector<std::string> pairs;  ///< "@matcher -> @action", in matching order
};
[[nodiscard]] std::string specText(const SpecParts& parts);

/// Returns a short description: "contraction m=512 n=768 k=1024, f32 f32 f32".
[[nodiscard]] std::string shown(const Matched& matched);

/// The matcher of a dispatch's root operation.
struct DispatchMatcher {
  std::string dispatch;
  Matched matched;
  std::string matcher;        ///< for SpecEntry; "" if the root cannot be matched
  std::string failureReason;  ///< the reason if `matcher` is empty
  /// False if the matcher checks only the operation's name and types and may match other
  /// operations.
  bool exact = true;
  /// Dispatches with the same matcher that are identical except for their names.
  std::vector<std::string> equal;
  /// Dispatches with the same matcher that differ in what is fused with the root. A spec cannot
  /// give them different configurations.
  std::vector<std::string> alike;
};

/// Returns the matchers of all dispatches of a program that have a root operation.
[[nodiscard]] Result<std::vector<DispatchMatcher>> queryMatchers(Compiler& compiler,
                                                                 const CompileRequest& request);

}  // namespace hone::iree
