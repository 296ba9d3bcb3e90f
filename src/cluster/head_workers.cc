// The head's eye on its workers: who has what, who lives, who died over what, who could not even
// begin.
#include <algorithm>

#include "base/clock.h"
#include "cluster/head.h"

namespace hone::cluster {
namespace {

/// A job that runs for so long without a sign of its worker will not give one.
constexpr std::int64_t kBeginNs = 300 * kSecondNs;
/// A head that takes no longer from one look to the next is on time.
constexpr std::int64_t kLateNs = kSecondNs;
/// A unit over which so many workers died is not tried again.
constexpr int kMostDeaths = 3;
/// Nor is one at which so many machines failed: not all of them will be bad.
constexpr int kMostFailures = 6;
/// Fewer workers that could not begin may be bad luck.
constexpr std::size_t kFewestBadWorkers = 3;

}  // namespace

bool Head::blame(const std::string& key, const std::string& worker, const std::string& why) {
  const auto at = units_.find(key);
  if (at == units_.end()) {
    return false;
  }
  QueuedUnit& unit = at->second.unit;
  if (++unit.deaths < kMostDeaths) {
    static_cast<void>(spool_.keepFailures(unit));
    return false;
  }
  giveUp(unit, worker, fmt::format("{} workers died over it; the last: {}", kMostDeaths, why));
  return true;
}

void Head::giveUp(const QueuedUnit& unit, const std::string& worker, const std::string& why) {
  Answer answer;
  answer.key = unit.key;
  answer.killed = true;
  answer.worker = worker;
  answer.error = Error{Fault::user, why};
  static_cast<void>(spool_.keepDone(answer));  // not to be tried again by the next head
  settle(std::move(answer));
}

void Head::failed(const Death& death) {
  const auto at = units_.find(death.key);
  if (at == units_.end()) {
    inherited_.erase(death.key);
    return;
  }
  ++givenBack_;
  QueuedUnit& unit = at->second.unit;
  if (++unit.failures == kMostFailures) {
    giveUp(unit, death.worker,
           fmt::format("the machines of {} workers failed at it; the last: {}", kMostFailures,
                       death.why));
    return;
  }
  static_cast<void>(spool_.keepFailures(unit));
  wait(death.key);
}

void Head::died(const std::string& key, const std::string& worker, const std::string& why) {
  if (!units_.contains(key)) {
    inherited_.erase(key);  // whoever asks for it puts it again
    return;
  }
  ++givenBack_;
  if (!blame(key, worker, why)) {
    wait(key);
  }
}

void Head::lose(const std::string& worker, bool itsFault, const std::string& why) {
  for (const Claim& claim : spool_.claims()) {
    if (claim.worker != worker) {
      continue;
    }
    spool_.release(claim);
    if (itsFault) {
      died(claim.key(), worker, why);
    } else if (units_.contains(claim.key())) {
      ++givenBack_;
      wait(claim.key());
    } else {
      inherited_.erase(claim.key());
    }
  }
}

Result<void> Head::badWorker(const std::string& worker, const std::string& why) {
  if (!begun_.insert(worker).second) {
    return {};  // it did begin, or was counted
  }
  ++badWorkers_;
  if (onTrouble_ && why != lastTrouble_) {
    lastTrouble_ = why;
    onTrouble_(why);
  }
  // As many as were wanted at a time may all have met bad nodes; who works shows that others can.
  if (badWorkers_ < std::max(kFewestBadWorkers, mostWanted_) || count(Pending::At::claimed) > 0) {
    return {};
  }
  return machineError("the workers cannot begin or go on; the last, {}: {}; see {}", worker, why,
                      (spool_.folder() / "logs").string());
}

Result<void> Head::readDeaths() {
  const std::vector<Death> deaths = spool_.takeDeaths();
  gather();  // a worker that died after its answer has done its unit
  for (const Death& death : deaths) {
    if (const auto at = units_.find(death.key); at != units_.end() && !death.node.empty()) {
      auto& nodes = at->second.unit.nodes;
      if (std::find(nodes.begin(), nodes.end(), death.node) == nodes.end()) {
        nodes.push_back(death.node);
      }
    }
    if (!death.key.empty()) {
      begun_.insert(death.worker);
      hands_.erase(death.worker);
    }
    if (!death.key.empty() && !death.ofMachine) {
      died(death.key, death.worker, death.why);
    } else if (death.why != kOtherKind) {
      failed(death);
      ++badOn_[death.node];
      begun_.erase(death.worker);  // it did begin, and cannot go on
      HONE_CHECK(badWorker(death.worker, death.why));
    } else if (onlyCompiles(death.worker)) {
      ++otherCompileNodes_;
    } else {
      ++otherNodes_;
      HONE_CHECK(badWorker(death.worker, fmt::format("its node is {}", kOtherKind)));
    }
  }
  return {};
}

void Head::noteClaims(const std::vector<Claim>& claims) {
  for (const Claim& claim : claims) {
    std::string& unit = hands_[claim.worker];
    if (unit != claim.key()) {
      unit = claim.key();
      workers_[claim.worker].seenNs = nowNs();
      begun_.insert(claim.worker);
    }
  }
}

void Head::forgiveDelay() {
  const std::int64_t now = nowNs();
  const std::int64_t gapNs = awakeNs_ == 0 ? 0 : now - awakeNs_;
  awakeNs_ = now;
  if (gapNs < std::max(kLateNs, static_cast<std::int64_t>(options_.lostSeconds * 1e9) / 4)) {
    return;
  }
  for (auto& [name, known] : workers_) {
    known.seenNs = std::min(now, known.seenNs + gapNs);
  }
  for (auto& [key, pending] : units_) {
    pending.missingNs = pending.missingNs == 0 ? 0 : std::min(now, pending.missingNs + gapNs);
  }
}

void Head::readPlaces() {
  std::map<std::string, Pending::At> places;
  // In the order in which a unit moves, so that one on its way is seen at least once.
  for (const std::string& key : spool_.queuedKeys()) {
    if (units_.contains(key) || inherited_.contains(key)) {
      places[key] = Pending::At::queued;
    } else {
      spool_.withdraw(key);  // put back by its worker after it was settled
    }
  }
  const std::vector<Claim> claims = spool_.claims();
  for (const Claim& claim : claims) {
    places[claim.key()] = Pending::At::claimed;
  }
  noteClaims(claims);
  gather();
  forgiveDelay();
  const auto lostNs = static_cast<std::int64_t>(options_.lostSeconds * 1e9);
  for (auto& [key, pending] : units_) {
    if (const auto place = places.find(key); place != places.end()) {
      pending.at = place->second;
      pending.missingNs = 0;
    } else if (pending.at == Pending::At::queued || pending.at == Pending::At::claimed) {
      // Its file was damaged and nobody has it, or a listing is late.
      pending.missingNs = pending.missingNs == 0 ? nowNs() : pending.missingNs;
      if (nowNs() - pending.missingNs > lostNs) {
        pending.missingNs = 0;
        wait(key);
      }
    }
  }
}

Result<void> Head::giveUpSilent(const std::string& worker, Known& known) {
  known.lost = true;
  lose(worker, true, "its worker shows no sign of life");
  jobsNs_ = 0;  // another may be wanted
  const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                [&](const Job& one) { return one.id == worker && one.alive(); });
  if (job == jobs_.end()) {
    return {};
  }
  static_cast<void>(slurm_.cancel(worker));  // it still has its node
  return badWorker(worker, "it shows no sign of life");
}

Result<void> Head::readWorkers() {
  const auto lostNs = static_cast<std::int64_t>(options_.lostSeconds * 1e9);
  const std::vector<std::string> there = spool_.workers();
  const std::vector<Claim> claims = spool_.claims();
  noteClaims(claims);
  std::set<std::string> holders;
  for (const Claim& claim : claims) {
    holders.insert(claim.worker);
  }
  for (const std::string& name : there) {
    Known& known = workers_[name];
    const Beat beat = known.lost ? Beat{} : spool_.beatOf(name);
    if (!known.lost && beat.count != known.count) {
      known.count = beat.count;
      known.seenNs = nowNs();
    }
  }
  forgiveDelay();
  for (auto next = workers_.begin(); next != workers_.end();) {
    const auto at = next++;
    const std::string& name = at->first;
    const bool listed = std::binary_search(there.begin(), there.end(), name);
    const bool holds = holders.contains(name);
    const std::int64_t patienceNs = listed || holds ? lostNs : kBeginNs;
    if (at->second.lost) {
      if (holds) {
        lose(name, false, "");  // it took something though nobody counts on it
      }
    } else if (!listed && !holds && at->second.count >= 0) {
      workers_.erase(at);  // it left
      jobsNs_ = 0;         // another may be wanted
    } else if (nowNs() - at->second.seenNs > patienceNs) {
      HONE_CHECK(giveUpSilent(name, at->second));
    }
  }
  return {};
}

}  // namespace hone::cluster
