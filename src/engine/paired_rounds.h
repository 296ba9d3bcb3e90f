#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/rounds.h"
#include "model/result/sample.h"
#include "stats/compare.h"
#include "store/store.h"

namespace hone::engine {

struct PairedRoundsOptions {
  /// Verdicts are looked at after so many rounds, and again after as many more while one is open.
  std::int64_t rounds = 8;
  std::int64_t mostRounds = 24;
  stats::CompareOptions compare;
  std::function<void()> onRound;  ///< called after each, if set
};

/// What rounds told of one participant.
struct PairedTimes {
  std::vector<double> timesNs;                  ///< one a round; none for one that failed
  std::optional<stats::Comparison> comparison;  ///< with the baseline
};

/// The baseline (participant 0), the same once more (1) and the others side by side in fresh
/// processes, until every difference is proven or enough was tried. Where the baseline fails there
/// is no comparison.
[[nodiscard]] Result<std::vector<PairedTimes>> pairedRounds(
    iree::RankBy rankBy, store::Store& store, std::span<const Participant> participants,
    std::span<const store::TrialSample> recorded, const PairedRoundsOptions& options);

}  // namespace hone::engine
