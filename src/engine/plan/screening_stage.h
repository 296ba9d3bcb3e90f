#pragma once

#include <span>

#include "base/error.h"
#include "engine/plan/session_state.h"

namespace hone::engine {

/// The fraction of a time budget after which no new candidate is tried.
inline constexpr double kTryShare = 0.6;

/// Compiles, verifies and screens these candidates, a few at a time, or records why they failed.
/// Those that the store has already are skipped. The first of a session is its baseline: if it
/// fails, that is a user error.
[[nodiscard]] Result<void> screenCandidates(SessionState& state,
                                            std::span<const std::size_t> which);

/// Decides from the time in screening whether the entry goes on, and writes that into its trial.
void judgeScreening(const SessionState& state, SessionEntry& entry, store::Trial& trial);

/// Marks an entry whose binary was measured for another; returns false if there is none.
[[nodiscard]] bool adoptEqualBinary(const SessionState& state, SessionEntry& entry,
                                    store::Trial& trial);

}  // namespace hone::engine
