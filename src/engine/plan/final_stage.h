#pragma once

#include "base/error.h"
#include "engine/plan/session_state.h"

namespace hone::engine {

/// Races the candidates that passed screening. Compiles the best as a user would, verifies them on
/// all inputs, and measures them side by side with the baseline and its twin.
[[nodiscard]] Result<void> raceAndProve(SessionState& state);

}  // namespace hone::engine
