#include "kernel/turns/decide/turn_decision.h"

#include <algorithm>

#include "kernel/turns/decide/estimated_order.h"

namespace hone::kernel {
namespace {

/// Candidates of a turn that are raced.
constexpr std::size_t kMaxRacers = 3;

}  // namespace

std::vector<Entry*> selectRacers(std::deque<Entry>& judged, std::size_t turn) {
  std::vector<Entry*> entries;
  for (Entry& entry : judged) {
    if (entry.tried.turn == turn && entry.tried.judged.ok() && entry.screenNs > 0) {
      entries.push_back(&entry);
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry* a, const Entry* b) { return a->screenNs < b->screenNs; });
  entries.resize(std::min(entries.size(), kMaxRacers));
  return entries;
}

void setWinner(TurnRecord& record, const std::vector<Entry*>& racers, const Entry& before,
               const TurnRace& race) {
  const std::size_t first = race.ranking.empty() ? 0 : race.ranking.front();
  const std::size_t winner = race.speedups[first].value_or(0) > 1 ? first : 0;
  const auto index = std::find(racers.begin(), racers.end(), &before) - racers.begin();
  const double beforeSpeedup = race.speedups[static_cast<std::size_t>(index)].value_or(1);
  record.best = racers[winner]->source().key();
  record.bestSpeedup = race.speedups[winner].value_or(1);
  record.bestNs = race.timesNs[winner];
  record.improvement = racers[winner] == &before ? 0 : record.bestSpeedup / beforeSpeedup - 1;
}

std::optional<double> setLowestEstimate(TurnRecord& record, const std::deque<Entry>& judged,
                                        const Entry& before) {
  std::vector<JudgedProposal> tried;
  for (const Entry& entry : judged) {
    tried.push_back(entry.tried);
  }
  const std::vector<EstimatedCandidate> ordered = orderByEstimate(tried);
  if (ordered.empty()) {
    return std::nullopt;
  }
  const auto estimate = std::ranges::find(
      ordered, before.source().key(),
      [](const EstimatedCandidate& one) { return one.tried->proposal.source.key(); });
  const EstimatedCandidate& first = ordered.front();
  record.best = first.tried->proposal.source.key();
  record.improvement = estimate == ordered.end() ? 0 : estimate->cost / first.cost - 1;
  return first.cost;
}

}  // namespace hone::kernel
