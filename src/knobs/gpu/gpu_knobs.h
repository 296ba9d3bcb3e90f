#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "iree/compile/constraints.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// What the compiler itself allows for one dispatch of a program, by all pipelines that it offers:
/// the first knob is the pipeline, counted among the dispatch's own, a knob that a pipeline does
/// not have is -1 there. `all` are the constraints of the program as iree::constraintsOf gives
/// them. A dispatch without any is a user error that says so. Options that are legal everywhere
/// follow, those of AMD's GPUs among them. The compiler must outlive the model.
[[nodiscard]] Result<KnobModel> gpuKnobs(iree::Compiler& compiler,
                                         const iree::CompileRequest& request,
                                         std::span<const iree::PipelineConstraints> all,
                                         const model::RootOperation& root, bool amd);

}  // namespace hone::knobs
