#pragma once

#include <string>
#include <string_view>

#include "knobs/knob_model.h"

namespace hone::knobs {

/// Returns the pipeline of a translation_info or compilation_info without its namespace:
/// Returns "DoubleTilingExpert" for "pipeline = #iree_cpu.pipeline<DoubleTilingExpert>" and for the
/// keyword of IREE 3.11 and older, "pipeline = CPUDoubleTilingExpert"; "" if there is none.
[[nodiscard]] std::string_view readPipeline(std::string_view info);

/// Rewrites the pipeline of a compilation_info in the form that the compiler of this revision
/// reads: an attribute, or a keyword for IREE 3.11 and older.
[[nodiscard]] std::string fitPipeline(std::string info, std::string_view revision);

/// Returns the model with attributes in the form that the compiler of this revision reads.
[[nodiscard]] KnobModel fitPipelines(KnobModel model, const std::string& revision);

}  // namespace hone::knobs
