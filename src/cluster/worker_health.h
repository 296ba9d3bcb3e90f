#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cluster/spool/spool.h"

namespace hone::cluster {

/// Tracks which workers of a run are alive, the unit that each has claimed, and which workers and
/// nodes failed.
class WorkerHealth {
 public:
  /// The workers that need attention after a review.
  struct Review {
    std::vector<std::string> silent;    ///< no heartbeat in time; marked as lost
    std::vector<std::string> reclaims;  ///< lost, and claimed a unit since
    bool anyLeft = false;               ///< a worker exited normally
  };

  /// Expects a heartbeat of a worker whose job runs.
  void expect(const std::string& worker);
  void noteHeartbeat(const std::string& worker, std::int64_t count);
  void noteClaims(std::span<const Claim> claims);
  void noteAnswer(const Answer& answer);
  /// Records that the worker reported the death of its child.
  void noteDeath(const std::string& worker);
  void markLost(const std::string& worker) { workers_[worker].lost = true; }
  /// Extends every deadline by a time in which the head itself was blocked.
  void extendDeadlines(std::int64_t now, std::int64_t gapNs);
  /// Finds the workers whose heartbeat is older than `lostNs`. `listed` are the workers that have a
  /// file, in order; `claims` are the units claimed by workers.
  [[nodiscard]] Review review(std::span<const std::string> listed, std::span<const Claim> claims,
                              std::int64_t lostNs);

  [[nodiscard]] bool isLost(const std::string& worker) const;
  /// Counts the workers that have shown a heartbeat and are not lost.
  [[nodiscard]] std::size_t alive() const;
  /// Returns the key of the unit that the worker claimed last and has not answered; "" if there is
  /// none.
  [[nodiscard]] std::string lastUnit(const std::string& worker) const;

  /// Counts a worker that could not start. Returns false if it did start, or was counted before.
  [[nodiscard]] bool noteFailedStart(const std::string& worker);
  /// Counts a failure of a worker that has started, and of its node.
  void noteFailure(const std::string& worker, const std::string& node);
  /// Returns the number of workers that failed since the last answer.
  [[nodiscard]] std::size_t failures() const { return failures_; }
  /// Returns the nodes on which too many workers failed since their last answer.
  [[nodiscard]] std::vector<std::string> badNodes() const;
  void forgetBadNodes() { failuresOn_.clear(); }

 private:
  struct Worker {
    std::int64_t count = -1;  ///< of its last heartbeat; -1: none yet
    std::int64_t seenNs = 0;  ///< time of its last heartbeat or claim, by this process's clock
    bool lost = false;
  };

  std::map<std::string, Worker> workers_;
  std::map<std::string, std::string> units_;  ///< by worker: the last unanswered one
  std::set<std::string> begun_;               ///< workers that claimed a unit or reported a death
  std::size_t failures_ = 0;
  std::map<std::string, int> failuresOn_;  ///< by node
};

}  // namespace hone::cluster
