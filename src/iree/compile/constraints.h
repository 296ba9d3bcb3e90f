#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/module/module_constraints.h"

namespace hone::iree {

/// The constraints of all dispatches of a program, in the order that KnobAssignment counts them in.
/// Empty where the compiler has none: on the CPU and Vulkan, and for operations without matrix
/// instructions.
[[nodiscard]] Result<std::vector<PipelineConstraints>> constraintsOf(Compiler& compiler,
                                                                     const CompileRequest& request);

/// The compilation_info attribute of each assignment as MLIR text. Every knob must have a value;
/// whether the values satisfy the constraints is not checked here.
[[nodiscard]] Result<std::vector<std::string>> compilationInfos(
    Compiler& compiler, const CompileRequest& request, std::span<const KnobAssignment> assignments);

/// The decomposition_config attribute of each, without which the products of an attention get no
/// matrix instructions; "" for other operations.
[[nodiscard]] Result<std::vector<std::string>> decompositionConfigs(
    Compiler& compiler, const CompileRequest& request, std::span<const KnobAssignment> assignments);
/// The one that a config has beside its compilation_info; "" for none.
[[nodiscard]] std::string decompositionOf(const model::Config& config);

}  // namespace hone::iree
