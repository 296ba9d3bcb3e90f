#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::model {

/// What kind of work the root operation of a dispatch does, as far as its knobs are concerned.
enum class RootKind : std::uint8_t {
  contraction,  ///< a matmul in any form: batched, transposed, with more loops than three
  convolution,
  attention,
  mmt4d,        ///< a matmul of packed tiles, as data tiling makes it
  reduction,    ///< a sum, a maximum, a softmax
  elementwise,  ///< no loop is summed over
  packing,      ///< pack, unpack
  other,
};

[[nodiscard]] std::string_view nameOf(RootKind kind);

struct Loop {
  std::int64_t size = 0;  ///< -1: known at run time only
  bool reduction = false;
  bool operator==(const Loop&) const = default;
};

/// One operand or result, and how the loops walk through it.
struct RootOperand {
  std::vector<std::int64_t> shape;  ///< -1: known at run time only
  std::string element;              ///< "f32"
  /// For each dimension the loops that its index is made of: {2} for a plain index, {1, 4} for a
  /// window of a convolution, {} for a constant.
  std::vector<std::vector<std::size_t>> loops;
  bool operator==(const RootOperand&) const = default;
};

/// The operation of a dispatch that the compiler tiles by; the others follow it.
struct RootOperation {
  std::string dispatch;     ///< the executable's name
  std::string op;           ///< "linalg.generic"
  std::size_t ordinal = 0;  ///< its number among the operations of this name in the dispatch
  /// False: the compiler makes the root itself, after configurations of users are read, so that
  /// none reaches it; op and ordinal are then those of what it made.
  bool attachable = true;
  RootKind kind = RootKind::other;
  std::vector<Loop> loops;
  std::vector<RootOperand> inputs;
  std::vector<RootOperand> outputs;
  std::string loweringConfig;   ///< the compiler's own choice, as MLIR text
  std::string translationInfo;  ///< the same

  bool operator==(const RootOperation&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const RootOperation& root);
[[nodiscard]] Result<RootOperation> rootOperationFrom(const nlohmann::json& json);

}  // namespace hone::model
