#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "iree/compile/compile_job.h"
#include "iree/module/compiler_api.h"

namespace hone::iree {

/// The constraints in the IR of a compile child, in order, and a compilation_info attribute for
/// each assignment: {"constraints": [{"dispatch", "pipeline", "knobs": [{"name", "place",
/// "options"}], "smt"}], "infos": [texts]}. Nothing, and the reason on stderr, where an assignment
/// does not fit.
[[nodiscard]] std::optional<nlohmann::json> constraintsIn(
    const CompilerApi& api, MlirOperation module, std::span<const KnobAssignment> assignments);

}  // namespace hone::iree
