#include "kernel/turns/history.h"

#include <utility>

#include "kernel/turns/trial_record.h"

namespace hone::kernel {

using nlohmann::json;

json toJson(const TurnRecord& record) {
  json proposals = json::array();
  for (const Proposal& proposal : record.proposals) {
    proposals.push_back(toJson(proposal));
  }
  return {{"turn", record.turn},           {"analysis", record.analysis},
          {"examples", record.examples},   {"proposals", std::move(proposals)},
          {"complaint", record.complaint}, {"ended", record.ended},
          {"memory", record.memory},       {"used_ms", record.usedMs},
          {"decided", record.decided},     {"speedups", record.speedups},
          {"best", record.best},           {"best_speedup", record.bestSpeedup},
          {"best_ns", record.bestNs},      {"improvement", record.improvement}};
}

TurnRecord turnRecordFrom(const json& json) {
  TurnRecord record;
  record.turn = json.value("turn", std::size_t{0});
  record.analysis = json.value("analysis", nlohmann::json());
  record.examples = json.value("examples", std::vector<std::string>{});
  for (const auto& proposal : json.value("proposals", nlohmann::json::array())) {
    record.proposals.push_back(proposalFrom(proposal));
  }
  record.complaint = json.value("complaint", "");
  record.ended = json.value("ended", "");
  record.memory = json.value("memory", nlohmann::json());
  record.usedMs = json.value("used_ms", std::int64_t{0});
  record.decided = json.value("decided", false);
  record.speedups = json.value("speedups", std::map<std::string, double>{});
  record.best = json.value("best", "");
  record.bestSpeedup = json.value("best_speedup", 1.0);
  record.bestNs = json.value("best_ns", 0.0);
  record.improvement = json.value("improvement", 0.0);
  return record;
}

Result<void> History::restore() {
  const auto run = HONE_TRY(scope_.store.run(scope_.run));
  details_ = run && run->details.is_object() ? run->details : json::object();
  turns_.clear();
  const json kernels = details_.value("kernels", json::object());
  const json turns = kernels.value(scope_.kernel, json::array());
  for (const json& turn : turns) {
    turns_.push_back(turnRecordFrom(turn));
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
  json turns = json::array();
  for (const TurnRecord& turn : turns_) {
    turns.push_back(toJson(turn));
  }
  // What the proposer remembers grows with every turn; only the last is ever asked for.
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
    turns[i]["memory"] = nullptr;
  }
  details_["kernels"][scope_.kernel] = std::move(turns);
  return scope_.store.setDetails(scope_.run, details_);
}

}  // namespace hone::kernel
