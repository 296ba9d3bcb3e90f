#pragma once

#include "base/error.h"
#include "engine/plan/session_state.h"

namespace hone::engine {

/// Races the candidates that passed screening and measures the best side by side with the baseline
/// and its twin, in modules as a user would compile them, verified on all inputs.
[[nodiscard]] Result<void> raceAndProve(SessionState& state);

}  // namespace hone::engine
