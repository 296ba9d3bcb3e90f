#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::iree {

/// The type of an operand. A matcher may leave parts of it open.
struct OperandForm {
  std::string element;              ///< "f16"; "": any
  bool ranked = false;              ///< `shape` is known
  std::vector<std::int64_t> shape;  ///< -1: dynamic, or any size
  bool operator==(const OperandForm&) const = default;
};

/// The loops of an operation with one role: "m", "filter". Strides and dilations have no loops.
struct LoopRole {
  std::string name;
  std::vector<std::int64_t> loops;
  std::vector<std::int64_t> sizes;  ///< -1: dynamic, or any size
  bool sized = true;                ///< false if a matcher accepts any sizes
  bool operator==(const LoopRole&) const = default;
};

/// A condition of a matcher on a dimension of an operand.
struct DimensionCondition {
  std::int64_t operand = 0;
  std::int64_t dimension = 0;
  std::int64_t multipleOf = 0;  ///< 0: none
  std::int64_t least = -1;      ///< -1: none
  std::int64_t most = -1;       ///< -1: none
  bool operator==(const DimensionCondition&) const = default;
};

/// The form of an operation, or the form that a matcher requires. Empty members of a matcher's form
/// accept anything.
struct OperationForm {
  std::vector<std::string> names;  ///< "linalg.generic"; a matcher may accept several
  std::string kind;                ///< "contraction", "convolution", "attention"; "" for others
  std::vector<OperandForm> operands;
  std::vector<std::string> maps;        ///< "affine_map<(d0, d1) -> (d0)>", one per operand
  std::vector<LoopRole> roles;          ///< empty for other kinds
  std::vector<std::string> body;        ///< one line per operation: "arith.addf out0 value1"
  std::vector<std::string> attributes;  ///< "strides = dense<1> : tensor<2xi64>", sorted
  std::vector<DimensionCondition> conditions{};  ///< only of matchers
  std::vector<std::string> unread{};  ///< other conditions of a matcher, by operation name
  bool operator==(const OperationForm&) const = default;
};

}  // namespace hone::iree
