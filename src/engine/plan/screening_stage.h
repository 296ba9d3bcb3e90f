#pragma once

#include <span>

#include "base/error.h"
#include "engine/plan/session_state.h"

namespace hone::engine {

/// Compiles, verifies and screens candidates in batches, and records them. Skips candidates that
/// are already stored, and those left after Plan::screeningShare of the time budget. Fails with a
/// user error if the baseline, the first of a session, fails.
[[nodiscard]] Result<void> screenCandidates(SessionState& state,
                                            std::span<const std::size_t> which);

/// Decides from the screening time if the entry passes, and writes the result into its trial.
void judgeScreening(const SessionState& state, SessionEntry& entry, store::Trial& trial);

/// Marks an entry whose binary equals that of a recorded entry. Returns false if there is none, or
/// if the plan does not select.
[[nodiscard]] bool adoptEqualBinary(const SessionState& state, SessionEntry& entry,
                                    store::Trial& trial);

}  // namespace hone::engine
