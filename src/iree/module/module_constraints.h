#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"

namespace hone::iree {

/// The attribute that an attention has in addition to its compilation_info.
inline constexpr const char* kDecompositionConfig = "decomposition_config";
inline constexpr const char* kLoweringConfig = "lowering_config";

/// A tunable parameter of a configuration.
struct Knob {
  std::string name;                  ///< its name in the constraints: "wg_0"
  std::string place;                 ///< its position: "workgroup[0]", "mma_kind"
  std::vector<std::string> options;  ///< attributes that the value indexes; empty for a size
};

/// The compiler's own constraints on the knobs of one pipeline for one dispatch.
struct PipelineConstraints {
  std::string dispatch;
  std::string pipeline;  ///< "TileAndFuse"
  std::vector<Knob> knobs;
  std::string smtLib;  ///< for search::Constraints
};

/// Values for the knobs of one of a program's constraints.
struct KnobAssignment {
  std::size_t constraints = 0;  ///< index in ProgramConstraints::constraints
  std::map<std::string, std::int64_t> values;
};

/// The constraints of a program's dispatches, in program order, and one attribute of each kind per
/// assignment.
struct ProgramConstraints {
  std::vector<PipelineConstraints> constraints;
  std::vector<std::string> compilationInfos;      ///< as MLIR text
  std::vector<std::string> decompositionConfigs;  ///< as MLIR text; "" except for an attention
};

/// Reads the constraints in the IR of a compile child and converts the assignments to attributes.
/// Returns nothing and prints the error to stderr if an assignment is invalid.
[[nodiscard]] std::optional<ProgramConstraints> constraintsIn(
    const CompilerApi& api, MlirOperation module, std::span<const KnobAssignment> assignments);

}  // namespace hone::iree
