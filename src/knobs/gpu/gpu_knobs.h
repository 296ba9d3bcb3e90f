#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "iree/compile/constraints.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Builds the space that the compiler's constraints allow for one dispatch, over all its pipelines.
///
/// The first knob is the pipeline's index among the dispatch's constraints; knobs that a pipeline
/// does not have are -1. They are followed by options that are always legal, including AMD-specific
/// ones.
///
/// `all` are the constraints of the program, from iree::queryConstraints. Fails with a user error
/// if the dispatch has none. The compiler must outlive the model.
[[nodiscard]] Result<KnobModel> gpuKnobs(iree::Compiler& compiler,
                                         const iree::CompileRequest& request,
                                         std::span<const iree::PipelineConstraints> all,
                                         const model::RootOperation& root, bool amd);

}  // namespace hone::knobs
