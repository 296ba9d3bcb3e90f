#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::iree {

/// Sizes that a matcher of a tuning spec requires: "m", {512}.
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
  std::string matcher;  ///< its body, as operations on %op; "" if the operation cannot be matched
  std::string failureReason;  ///< the reason if `matcher` is empty
  /// False if the matcher checks only the operation's name and types and may match other
  /// operations.
  bool exact = true;
};

}  // namespace hone::iree
