#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::iree {

/// Sizes that a matcher of a tuning spec asks for: "m", {512}.
struct MatchedSizes {
  std::string name;
  std::vector<std::int64_t> values;
  bool operator==(const MatchedSizes&) const = default;
};

/// The operations that a matcher of a tuning spec matches.
struct Matched {
  std::string kind = "other";  ///< "contraction", "convolution", "attention", "dag", "other"
  std::string op;              ///< "" if any operation of that structure matches
  std::vector<std::string> types;
  std::vector<MatchedSizes> sizes;
  bool operator==(const Matched&) const = default;
};

/// A matcher for one operation.
struct OperationMatcher {
  Matched matched;
  std::string matcher;  ///< its body, as operations on %op; "" if there is none
  std::string whyNot;   ///< a sentence if there is none
  /// False if the matcher goes by the operation's name and types only: it may match others.
  bool exact = true;
};

}  // namespace hone::iree
