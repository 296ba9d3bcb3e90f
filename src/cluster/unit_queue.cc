#include "cluster/unit_queue.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/clock.h"

namespace hone::cluster {
namespace {

/// A unit that killed this many workers is not retried.
constexpr int kMaxDeaths = 3;
/// A unit at which this many machines failed is not retried: they are unlikely to be all bad.
constexpr int kMaxUnitFailures = 6;
constexpr std::string_view kCompileSuffix = "c";

/// Returns the unit that compiles the code measured by another unit.
QueuedUnit compileUnit(const QueuedUnit& unit) {
  QueuedUnit compile = unit;
  compile.key = fmt::format("{}{}", unit.key, kCompileSuffix);
  compile.onlyCompile = true;
  compile.deaths = compile.failures = 0;
  compile.nodes.clear();
  return compile;
}

}  // namespace

void UnitQueue::inherit() {
  for (const std::string& key : spool_.queuedKeys()) {
    inherited_.insert(key);
  }
  for (const Claim& claim : spool_.claims()) {
    inherited_.insert(claim.key());
  }
}

void UnitQueue::setWaiting(const std::string& key) {
  units_[key].state = State::waiting;
  waiting_.push_back(key);
}

void UnitQueue::startUnit(const std::string& key) {
  if (inherited_.erase(key) > 0) {
    units_[key].state = State::queued;
  } else {
    setWaiting(key);
  }
}

void UnitQueue::enqueue(QueuedUnit unit) {
  const std::string key = unit.key;
  if (units_.contains(key) || answers_.contains(key)) {
    return;
  }
  spool_.restoreFailures(unit);
  ++added_;
  if (auto done = spool_.doneAnswer(key)) {
    answers_.emplace(key, std::move(*done));
    return;
  }
  QueuedUnit compile = compileUnit(unit);
  const bool compileFirst =
      compilesFirst_ && !inherited_.contains(key) && !spool_.doneAnswer(compile.key);
  units_[key].unit = std::move(unit);
  if (compileFirst) {
    units_[key].state = State::compiling;
    const std::string first = compile.key;
    units_[first].unit = std::move(compile);
    startUnit(first);
  } else {
    startUnit(key);
  }
}

std::size_t UnitQueue::count(State state) const {
  return static_cast<std::size_t>(
      std::count_if(units_.begin(), units_.end(),
                    [&](const auto& entry) { return entry.second.state == state; }));
}

std::size_t UnitQueue::countCompiles() const {
  return static_cast<std::size_t>(std::count_if(
      units_.begin(), units_.end(), [](const auto& one) { return one.second.unit.onlyCompile; }));
}

Result<void> UnitQueue::fill(std::size_t window) {
  std::size_t queued = waiting_.empty() ? 0 : count(State::queued);
  while (queued < window && !waiting_.empty()) {
    const auto at = units_.find(waiting_.front());
    waiting_.pop_front();
    if (at == units_.end() || at->second.state != State::waiting) {
      continue;
    }
    HONE_CHECK(spool_.put(at->second.unit));
    at->second.state = State::queued;
    ++queued;
  }
  return {};
}

void UnitQueue::accept(Answer answer) {
  inherited_.erase(answer.key);
  finishUnit(std::move(answer));
}

void UnitQueue::finishUnit(Answer answer) {
  const std::string key = answer.key;
  const auto at = units_.find(key);
  if (at == units_.end()) {
    return;  // for an earlier head that requested more, or a duplicate answer
  }
  if (at->second.state == State::queued) {
    spool_.withdraw(key);
  }
  const bool onlyCompile = at->second.unit.onlyCompile;
  units_.erase(at);
  if (!onlyCompile) {
    answers_[key] = std::move(answer);
    return;
  }
  // Compile errors and crashes are reported by the measuring unit.
  const std::string measured = key.substr(0, key.size() - kCompileSuffix.size());
  if (units_.contains(measured)) {
    setWaiting(measured);
  }
}

Answer UnitQueue::take(const std::string& key) {
  Answer answer = std::move(answers_.at(key));
  answers_.erase(key);
  return answer;
}

bool UnitQueue::countDeath(const std::string& key, const std::string& worker,
                           const std::string& why) {
  const auto at = units_.find(key);
  if (at == units_.end()) {
    return false;
  }
  QueuedUnit& unit = at->second.unit;
  if (++unit.deaths < kMaxDeaths) {
    static_cast<void>(spool_.storeFailures(unit));
    return false;
  }
  giveUp(unit, worker, fmt::format("{} workers died executing it; the last: {}", kMaxDeaths, why));
  return true;
}

void UnitQueue::giveUp(const QueuedUnit& unit, const std::string& worker, const std::string& why) {
  Answer answer;
  answer.key = unit.key;
  answer.killed = true;
  answer.worker = worker;
  answer.error = Error{Fault::user, why};
  static_cast<void>(spool_.storeAnswer(answer));  // the next head must not retry it
  finishUnit(std::move(answer));
}

void UnitQueue::handleMachineFailure(const WorkerDeath& death) {
  const auto at = units_.find(death.key);
  if (at == units_.end()) {
    inherited_.erase(death.key);
    return;
  }
  ++requeued_;
  QueuedUnit& unit = at->second.unit;
  if (++unit.failures == kMaxUnitFailures) {
    giveUp(unit, death.worker,
           fmt::format("the machines of {} workers failed executing it; the last: {}",
                       kMaxUnitFailures, death.why));
    return;
  }
  static_cast<void>(spool_.storeFailures(unit));
  setWaiting(death.key);
}

void UnitQueue::handleDeath(const std::string& key, const std::string& worker,
                            const std::string& why) {
  if (!units_.contains(key)) {
    inherited_.erase(key);  // the next request queues it again
    return;
  }
  ++requeued_;
  if (!countDeath(key, worker, why)) {
    setWaiting(key);
  }
}

void UnitQueue::releaseWorker(const std::string& worker, bool countsDeath, const std::string& why) {
  for (const Claim& claim : spool_.claims()) {
    if (claim.worker != worker) {
      continue;
    }
    spool_.release(claim);
    if (countsDeath) {
      handleDeath(claim.key(), worker, why);
    } else if (units_.contains(claim.key())) {
      ++requeued_;
      setWaiting(claim.key());
    } else {
      inherited_.erase(claim.key());
    }
  }
}

void UnitQueue::noteFailedNode(const WorkerDeath& death) {
  const auto at = units_.find(death.key);
  if (at == units_.end() || death.node.empty()) {
    return;
  }
  auto& nodes = at->second.unit.nodes;
  if (std::find(nodes.begin(), nodes.end(), death.node) == nodes.end()) {
    nodes.push_back(death.node);
  }
}

UnitQueue::Places UnitQueue::listPlaces() {
  Places places;
  // In the order in which a unit moves, so that a moving unit is seen at least once.
  for (const std::string& key : spool_.queuedKeys()) {
    if (units_.contains(key) || inherited_.contains(key)) {
      places.states[key] = State::queued;
    } else {
      spool_.withdraw(key);  // requeued by its worker after it was answered
    }
  }
  places.claims = spool_.claims();
  for (const Claim& claim : places.claims) {
    places.states[claim.key()] = State::claimed;
  }
  return places;
}

void UnitQueue::applyPlaces(const Places& places, std::int64_t lostNs) {
  for (auto& [key, pending] : units_) {
    if (const auto place = places.states.find(key); place != places.states.end()) {
      pending.state = place->second;
      pending.missingNs = 0;
    } else if (pending.state == State::queued || pending.state == State::claimed) {
      // The file is damaged and unclaimed, or the listing is outdated.
      pending.missingNs = pending.missingNs == 0 ? nowNs() : pending.missingNs;
      if (nowNs() - pending.missingNs > lostNs) {
        pending.missingNs = 0;
        setWaiting(key);
      }
    }
  }
}

void UnitQueue::extendDeadlines(std::int64_t now, std::int64_t gapNs) {
  for (auto& [key, pending] : units_) {
    pending.missingNs = pending.missingNs == 0 ? 0 : std::min(now, pending.missingNs + gapNs);
  }
}

}  // namespace hone::cluster
