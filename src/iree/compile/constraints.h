#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"

namespace hone::iree {

/// A place in the configuration that can be filled in many ways.
struct Knob {
  std::string name;                  ///< as the constraints call it: "wg_0"
  std::string place;                 ///< where its value goes: "workgroup[0]", "mma_kind"
  std::vector<std::string> options;  ///< attributes that its value is the number of; empty: a size
};

/// What the compiler itself asks of the knobs of one pipeline for one dispatch.
struct PipelineConstraints {
  std::string dispatch;
  std::string pipeline;  ///< "TileAndFuse"
  std::vector<Knob> knobs;
  std::string smtLib;  ///< for search::Constraints
};

/// The constraints of all dispatches of a program, in the order that KnobAssignment counts them in.
/// Empty where the compiler has none: on the CPU and Vulkan, and for operations without matrix
/// instructions.
[[nodiscard]] Result<std::vector<PipelineConstraints>> constraintsOf(Compiler& compiler,
                                                                     const CompileRequest& request);

/// The compilation_info attribute of each assignment as MLIR text. Every knob must have a value;
/// whether the values satisfy the constraints is not checked here.
[[nodiscard]] Result<std::vector<std::string>> compilationInfos(
    Compiler& compiler, const CompileRequest& request, std::span<const KnobAssignment> assignments);

inline constexpr const char* kDecompositionConfig = "decomposition_config";
/// The decomposition_config attribute of each, without which the products of an attention get no
/// matrix instructions; "" for other operations.
[[nodiscard]] Result<std::vector<std::string>> decompositionConfigs(
    Compiler& compiler, const CompileRequest& request, std::span<const KnobAssignment> assignments);
/// The one that a config has beside its compilation_info; "" for none.
[[nodiscard]] std::string decompositionOf(const model::Config& config);

}  // namespace hone::iree
