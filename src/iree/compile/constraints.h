#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/module/module_constraints.h"

namespace hone::iree {

/// Returns the constraints of all dispatches of a program; KnobAssignment indexes into them. Empty
/// if the compiler has none: on CPU and Vulkan, and for operations without matrix instructions.
[[nodiscard]] Result<std::vector<PipelineConstraints>> queryConstraints(
    Compiler& compiler, const CompileRequest& request);

/// Returns the compilation_info attribute of each assignment as MLIR text. Every knob must have a
/// value; the constraints are not checked here.
[[nodiscard]] Result<std::vector<std::string>> compilationInfos(
    Compiler& compiler, const CompileRequest& request, std::span<const KnobAssignment> assignments);

/// Returns the decomposition_config attribute of each assignment, without which the matmuls of an
/// attention get no matrix instructions; "" for other operations.
[[nodiscard]] Result<std::vector<std::string>> decompositionConfigs(
    Compiler& compiler, const CompileRequest& request, std::span<const KnobAssignment> assignments);
/// Returns the decomposition_config of a config; "" if it has none.
[[nodiscard]] std::string findDecompositionConfig(const model::Config& config);

}  // namespace hone::iree
