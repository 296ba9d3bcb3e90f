#include "engine/paired_rounds.h"

#include <algorithm>

namespace hone::engine {
namespace {

/// Compares everybody that has no comparison that is final; whether one is still open.
bool compareAll(std::vector<PairedTimes>& all, const stats::CompareOptions& options) {
  bool open = false;
  for (std::size_t i = 2; i < all.size(); ++i) {
    const bool comparable = !all[i].timesNs.empty() && !all[0].timesNs.empty() &&
                            all[i].timesNs.size() == all[0].timesNs.size() &&
                            all[1].timesNs.size() == all[0].timesNs.size();
    if (comparable) {
      all[i].comparison = stats::compare({all[0].timesNs, all[i].timesNs, all[1].timesNs}, options);
      open = open || all[i].comparison->verdict == stats::Verdict::ambiguous;
    }
  }
  return open;
}

}  // namespace

Result<std::vector<PairedTimes>> pairedRounds(iree::RankBy rankBy, store::Store& store,
                                              std::span<const Participant> participants,
                                              std::span<const store::TrialSample> recorded,
                                              const PairedRoundsOptions& options) {
  Rounds rounds(rankBy, store, model::Stage::final);
  rounds.restore(recorded);
  std::vector<PairedTimes> all(participants.size());
  std::vector<bool> failed(participants.size(), false);
  for (std::int64_t round = 0; round < options.mostRounds; ++round) {
    const auto times = HONE_TRY(rounds.take(
        round, participants, shuffled(participants.size(), options.compare.seed, round)));
    for (std::size_t i = 0; i < times.size(); ++i) {
      failed[i] = failed[i] || !times[i];
      if (failed[i]) {
        all[i] = {};
      } else {
        all[i].timesNs.push_back(*times[i]);
      }
    }
    if (options.onRound) {
      options.onRound();
    }
    if (failed[0] || ((round + 1) % options.rounds == 0 && !compareAll(all, options.compare))) {
      break;
    }
  }
  return all;
}

}  // namespace hone::engine
