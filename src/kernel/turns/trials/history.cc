#include "kernel/turns/trials/history.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/json.h"
#include "kernel/turns/trials/trial_record.h"

namespace hone::kernel {

using nlohmann::json;

model::KernelTurn toStoredTurn(const TurnRecord& record) {
  model::KernelTurn turn;
  turn.turn = static_cast<std::int64_t>(record.turn);
  turn.analysis = record.analysis;
  turn.examples = record.examples;
  for (const Proposal& proposal : record.proposals) {
    turn.proposals.push_back(toRecord(proposal));
  }
  turn.complaint = record.complaint;
  turn.ended = record.ended;
  turn.memory = record.memory.is_null() ? "" : jsonText(record.memory);
  turn.usedMs = record.usedMs;
  turn.repairs = static_cast<std::int64_t>(record.repairs);
  turn.decided = record.decided;
  turn.speedups.insert(record.speedups.begin(), record.speedups.end());
  turn.best = record.best;
  if (record.bestNs > 0) {
    turn.bestSpeedup = record.bestSpeedup;
    turn.bestNs = record.bestNs;
  }
  turn.improvement = record.improvement;
  return turn;
}

TurnRecord turnRecordFrom(const model::KernelTurn& turn) {
  TurnRecord record;
  record.turn = static_cast<std::size_t>(turn.turn);
  record.analysis = turn.analysis;
  record.examples = turn.examples;
  for (const model::KernelProposal& proposal : turn.proposals) {
    record.proposals.push_back(proposalFrom(proposal));
  }
  record.complaint = turn.complaint;
  record.ended = turn.ended;
  record.memory = turn.memory.empty() ? json() : json::parse(turn.memory);
  record.usedMs = turn.usedMs;
  record.repairs = static_cast<std::size_t>(turn.repairs);
  record.decided = turn.decided;
  for (const auto& [key, speedup] : turn.speedups) {
    if (speedup) {
      record.speedups[key] = *speedup;
    }
  }
  record.best = turn.best;
  record.bestSpeedup = turn.bestSpeedup.value_or(record.bestSpeedup);
  record.bestNs = turn.bestNs.value_or(record.bestNs);
  record.improvement = turn.improvement.value_or(record.improvement);
  return record;
}

Result<void> History::restore() {
  const auto run = HONE_TRY(scope_.store.run(scope_.run));
  details_ = run ? run->details : model::RunDetails();
  turns_.clear();
  if (const auto kept = details_.kernels.find(scope_.kernel); kept != details_.kernels.end()) {
    std::ranges::transform(kept->second, std::back_inserter(turns_), turnRecordFrom);
  }
  return {};
}

TurnRecord* History::find(std::size_t turn) {
  return turn > 0 && turn <= turns_.size() ? &turns_[turn - 1] : nullptr;
}

Result<void> History::save(const TurnRecord& record) {
  if (TurnRecord* before = find(record.turn); before != nullptr) {
    *before = record;
  } else {
    turns_.push_back(record);
  }
  std::vector<model::KernelTurn> turns;
  for (const TurnRecord& turn : turns_) {
    turns.push_back(toStoredTurn(turn));
  }
  // The proposer's memory grows with every turn, and only the last one is ever restored.
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
    turns[i].memory.clear();
  }
  details_.kernels[scope_.kernel] = std::move(turns);
  return scope_.store.setDetails(scope_.run, details_);
}

}  // namespace hone::kernel
