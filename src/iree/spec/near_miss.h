#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "iree/module/matcher/module_matchers.h"
#include "iree/module/matcher/operation_form.h"

namespace hone::iree {

/// A requirement of a matcher that an operation does not meet.
struct FormDifference {
  enum class Part : std::uint8_t { operation, type, dimension, map, body, attribute };
  Part part = Part::operation;
  std::string what;      ///< "k", "element type of operand 1"
  std::string expected;  ///< by the matcher
  std::string found;     ///< in the program
  bool operator==(const FormDifference&) const = default;
};
[[nodiscard]] std::string_view nameOf(FormDifference::Part part);
/// Returns one line: "k is 512 instead of 1024".
[[nodiscard]] std::string shown(const FormDifference& difference);

/// Lists the requirements of a matcher that an operation does not meet.
[[nodiscard]] std::vector<FormDifference> compareForms(const OperationForm& matcher,
                                                       const OperationForm& operation);

/// The operation of a program that comes closest to what an entry matches.
struct NearMiss {
  std::size_t operation = 0;  ///< its index
  std::string dispatch;
  std::string op;
  std::vector<FormDifference> differences;
  std::vector<std::string> unread;  ///< conditions of the matcher that hone does not evaluate
  /// The kind that the matcher requires if the program has no such operation: "contraction"; ""
  /// otherwise.
  std::string missingKind;
  /// True if both compute the same on the same sizes and types, and only their notation differs: a
  /// named operation that is a linalg.generic now, or loops in another order.
  bool sameComputation = false;
};

/// Returns one line: "the closest operation is linalg.generic in main_dispatch_0: k is 512 instead
/// of 1024"; "" if no difference is known.
[[nodiscard]] std::string shown(const NearMiss& near);

/// Returns the operation with the least important differences; nothing for a program without
/// operations.
[[nodiscard]] std::optional<NearMiss> findNearMiss(const OperationForm& matcher,
                                                   std::span<const ProgramOperation> operations);

/// Returns the operations that compute what a matcher matches, in another notation, see
/// NearMiss::sameComputation.
[[nodiscard]] std::vector<std::size_t> findSameComputations(
    const OperationForm& matcher, std::span<const ProgramOperation> operations);

}  // namespace hone::iree
