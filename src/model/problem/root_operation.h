#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::model {

/// Kind of a dispatch's root operation; determines which knobs it has.
enum class RootKind : std::uint8_t {
  contraction,  ///< a matmul in any form: batched, transposed, with more loops than three
  convolution,
  attention,
  mmt4d,        ///< a matmul of packed tiles, made by data tiling
  reduction,    ///< a sum, a maximum, a softmax
  elementwise,  ///< no reduction loop
  packing,      ///< pack, unpack
  other,
};

[[nodiscard]] std::string_view nameOf(RootKind kind);

struct Loop {
  std::int64_t size = 0;  ///< -1: dynamic
  bool reduction = false;
  bool operator==(const Loop&) const = default;
};

/// An operand or result and the loops that index it.
struct RootOperand {
  std::vector<std::int64_t> shape;  ///< -1: dynamic
  std::string element;              ///< "f32"
  /// Per dimension, the loops in its index expression: {2} for a plain index, {1, 4} for a window
  /// of a convolution, {} for a constant.
  std::vector<std::vector<std::size_t>> loops;
  bool operator==(const RootOperand&) const = default;
};

/// Another operation of a dispatch with a separate lowering_config in the compiler's default. A
/// pipeline that needs it fails if only the root is configured.
struct CompanionOperation {
  /// "linalg.generic#1", counted in the dispatch; "" if the operation changes its name or place
  /// before specs are applied, so that no configuration can be attached.
  std::string op;
  std::vector<Loop> loops;
  std::string loweringConfig;  ///< the compiler's default, as MLIR text

  bool operator==(const CompanionOperation&) const = default;
};

/// The operation that determines a dispatch's tiling; the other operations follow it.
struct RootOperation {
  std::string dispatch;     ///< the executable's name
  std::string op;           ///< "linalg.generic"
  std::size_t ordinal = 0;  ///< index among the operations of this name in the dispatch
  /// False if the compiler creates the root after it reads user configurations, so that none can be
  /// attached. `op` and `ordinal` then describe the operation it created.
  bool attachable = true;
  RootKind kind = RootKind::other;
  std::vector<Loop> loops;
  std::vector<RootOperand> inputs;
  std::vector<RootOperand> outputs;
  std::string loweringConfig;   ///< the compiler's default, as MLIR text
  std::string translationInfo;  ///< the compiler's default, as MLIR text
  std::vector<CompanionOperation> companions{};

  bool operator==(const RootOperation&) const = default;
};

/// Returns what a dispatch does, for display. Names work between layers that computes nothing:
/// "transpose", "copy", "copy of windows", "fill", "packing". Otherwise returns the kind of the
/// root. `dispatch` is the compiler's name, which distinguishes transposes from copies.
[[nodiscard]] std::string_view describeWork(std::string_view dispatch, const RootOperation& root);

[[nodiscard]] nlohmann::json toJson(const RootOperation& root);
[[nodiscard]] Result<RootOperation> rootOperationFrom(const nlohmann::json& json);

}  // namespace hone::model
