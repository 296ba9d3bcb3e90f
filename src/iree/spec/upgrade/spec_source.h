#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::iree {

// Reads the text of a spec without the compiler, which rejects specs of other versions.

/// A named sequence of a spec.
struct SourceSequence {
  std::string name;
  std::string comment;  ///< the comment lines above it
  std::string text;     ///< with attribute aliases expanded
};

/// "@matcher -> @action" in a foreach_match.
struct SourcePair {
  std::string matcher;
  std::string action;
  bool operator==(const SourcePair&) const = default;
};

/// The text of a spec.
struct SpecSource {
  std::vector<SourceSequence> sequences;
  std::vector<SourcePair> pairs;  ///< in matching order

  [[nodiscard]] const SourceSequence* find(std::string_view name) const;
};

/// Splits a spec into sequences and pairs. Fails with a user error if it has no named sequence or
/// no foreach_match, or if its brackets are not balanced.
[[nodiscard]] Result<SpecSource> parseSpecSource(std::string_view text);

/// Returns the symbols that a text refers to, without their own definition.
[[nodiscard]] std::vector<std::string> symbolsIn(std::string_view text);

/// A transform.param.constant in a sequence.
struct SourceConstant {
  std::size_t begin = 0;  ///< of its value in the text
  std::size_t end = 0;
  std::string value;
};
[[nodiscard]] std::vector<SourceConstant> constantsIn(std::string_view text);

}  // namespace hone::iree
