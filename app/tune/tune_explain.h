#pragma once

#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "tune/program/tunable_finder.h"

namespace hone::app {

/// Returns the data flow between the dispatches of a program; empty for a dumped dispatch.
[[nodiscard]] Result<model::DispatchGraph> queryDispatchGraph(Toolchain& toolchain,
                                                              const tune::WholeProgram& whole);

/// Prints the dispatches of programs as a graph, their cost and their knobs. If `selection` names
/// one dispatch, also prints its IR, its knobs with the compiler's values, and the commands that
/// show the same without hone.
[[nodiscard]] Result<int> explainPrograms(const Context& context, Toolchain& toolchain,
                                          const std::vector<tune::WholeProgram>& programs,
                                          const tune::DispatchSelection& selection);

}  // namespace hone::app
