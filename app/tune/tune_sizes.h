#pragma once

#include <filesystem>
#include <vector>

#include "app/common/call_options.h"
#include "app/common/toolchain.h"
#include "app/tune/tuned_result.h"
#include "engine/plan/trial_context.h"

namespace hone::app {

/// Measures the proven flags and spec on the same model with other sizes, beside the default. A
/// size that fails is reported in its entry.
[[nodiscard]] Result<void> proveOtherSizes(const engine::TrialContext& bench, Toolchain& toolchain,
                                           const CallOptions& call,
                                           const std::filesystem::path& folder,
                                           TunedProgram& tuned);

}  // namespace hone::app
