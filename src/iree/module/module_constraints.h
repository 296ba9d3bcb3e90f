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

/// The attribute that an attention has beside its compilation_info.
inline constexpr const char* kDecompositionConfig = "decomposition_config";

/// A place in a configuration that can hold many values.
struct Knob {
  std::string name;                  ///< as the constraints call it: "wg_0"
  std::string place;                 ///< where its value goes: "workgroup[0]", "mma_kind"
  std::vector<std::string> options;  ///< attributes that its value indexes; empty: a size
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

/// The constraints of a program's dispatches, in the program's order, and the attributes that were
/// made of the assignments, one of each kind per assignment.
struct ProgramConstraints {
  std::vector<PipelineConstraints> constraints;
  std::vector<std::string> compilationInfos;      ///< as MLIR text
  std::vector<std::string> decompositionConfigs;  ///< the same; "" except for an attention
};

/// Reads the constraints in the IR of a compile child and makes attributes of the assignments.
/// Returns nothing, and prints the reason on stderr, if an assignment does not fit.
[[nodiscard]] std::optional<ProgramConstraints> constraintsIn(
    const CompilerApi& api, MlirOperation module, std::span<const KnobAssignment> assignments);

}  // namespace hone::iree
