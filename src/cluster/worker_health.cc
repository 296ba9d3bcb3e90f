#include "cluster/worker_health.h"

#include <algorithm>

#include "base/clock.h"

namespace hone::cluster {
namespace {

/// A job that runs for this long without a heartbeat will not send one.
constexpr std::int64_t kStartNs = 300 * kSecondNs;
/// A node on which this many workers in a row failed is not requested again.
constexpr int kBadNodeFailures = 2;

}  // namespace

void WorkerHealth::expect(const std::string& worker) {
  workers_.try_emplace(worker, Worker{.seenNs = nowNs()});
}

void WorkerHealth::noteHeartbeat(const std::string& worker, std::int64_t count) {
  Worker& known = workers_[worker];
  if (!known.lost && known.count != count) {
    known.count = count;
    known.seenNs = nowNs();
  }
}

void WorkerHealth::noteClaims(std::span<const Claim> claims) {
  for (const Claim& claim : claims) {
    std::string& unit = units_[claim.worker];
    if (unit != claim.key()) {
      unit = claim.key();
      workers_[claim.worker].seenNs = nowNs();
      begun_.insert(claim.worker);
    }
  }
}

void WorkerHealth::noteAnswer(const Answer& answer) {
  failures_ = 0;
  failuresOn_.erase(answer.node.name);
  begun_.insert(answer.worker);
  units_.erase(answer.worker);
}

void WorkerHealth::noteDeath(const std::string& worker) {
  begun_.insert(worker);
  units_.erase(worker);
}

void WorkerHealth::extendDeadlines(std::int64_t now, std::int64_t gapNs) {
  for (auto& [name, worker] : workers_) {
    worker.seenNs = std::min(now, worker.seenNs + gapNs);
  }
}

WorkerHealth::Review WorkerHealth::review(std::span<const std::string> listed,
                                          std::span<const Claim> claims, std::int64_t lostNs) {
  std::set<std::string> holders;
  for (const Claim& claim : claims) {
    holders.insert(claim.worker);
  }
  Review review;
  for (auto next = workers_.begin(); next != workers_.end();) {
    const auto at = next++;
    const auto& [name, worker] = *at;
    const bool isListed = std::ranges::binary_search(listed, name);
    const bool holds = holders.contains(name);
    const std::int64_t deadlineNs = isListed || holds ? lostNs : kStartNs;
    if (worker.lost) {
      if (holds) {
        review.reclaims.push_back(name);
      }
    } else if (!isListed && !holds && worker.count >= 0) {
      workers_.erase(at);
      review.anyLeft = true;
    } else if (nowNs() - worker.seenNs > deadlineNs) {
      at->second.lost = true;
      review.silent.push_back(name);
    }
  }
  return review;
}

bool WorkerHealth::isLost(const std::string& worker) const {
  const auto known = workers_.find(worker);
  return known != workers_.end() && known->second.lost;
}

std::size_t WorkerHealth::alive() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      workers_, [](const auto& one) { return !one.second.lost && one.second.count >= 0; }));
}

std::string WorkerHealth::lastUnit(const std::string& worker) const {
  const auto unit = units_.find(worker);
  return unit == units_.end() ? "" : unit->second;
}

bool WorkerHealth::noteFailedStart(const std::string& worker) {
  const bool isNew = begun_.insert(worker).second;
  failures_ += isNew ? 1 : 0;
  return isNew;
}

void WorkerHealth::noteFailure(const std::string& worker, const std::string& node) {
  ++failuresOn_[node];
  ++failures_;
  begun_.insert(worker);
}

std::vector<std::string> WorkerHealth::badNodes() const {
  std::vector<std::string> bad;
  for (const auto& [node, failures] : failuresOn_) {
    if (!node.empty() && failures >= kBadNodeFailures) {
      bad.push_back(node);
    }
  }
  return bad;
}

}  // namespace hone::cluster
