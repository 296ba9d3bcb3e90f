#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cluster/job_pool.h"
#include "cluster/settings/options.h"
#include "cluster/slurm.h"
#include "cluster/spool/queued_unit.h"
#include "cluster/spool/spool.h"
#include "cluster/worker_health.h"

namespace hone::cluster {

/// State of the cluster, for display.
struct Status {
  std::size_t nodes = 0;    ///< workers with a heartbeat
  std::size_t running = 0;  ///< units claimed by workers
  std::size_t queued = 0;   ///< units waiting for a worker
  bool isSilent = false;    ///< the scheduler does not respond

  /// Returns "2 nodes, 2 running, 7 queued", and says so if the scheduler does not respond.
  [[nodiscard]] std::string text() const;
};

/// Overhead of the head, for benchmarks.
struct HeadCounts {
  std::int64_t schedulerCalls = 0;
  std::int64_t filesWritten = 0;
  std::int64_t units = 0;
  std::int64_t requeued = 0;  ///< units that lost their worker
};

/// Distributes units to workers and collects their answers. Starts as many worker jobs as there is
/// work for, and gives units of lost workers to others. A unit that killed three workers, or at
/// which six machines failed, is answered with an error.
///
/// Units are identified by a key. A unit that was answered before, also for an earlier head that
/// was killed, is not executed again.
class Head {
 public:
  /// Opens the spool of a run. `name` distinguishes the jobs of this run from others. `setup` is
  /// passed to the workers.
  [[nodiscard]] static Result<std::unique_ptr<Head>> open(const Options& options,
                                                          const std::string& name,
                                                          nlohmann::json setup);
  Head(Head&&) = delete;
  Head& operator=(Head&&) = delete;
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;
  /// Cancels its jobs unless closed; finished units stay for the next head.
  ~Head();

  /// Gives a unit to the workers. Does nothing if it is already queued or answered.
  [[nodiscard]] Result<void> enqueue(QueuedUnit unit);
  /// Waits until one of these units is answered and returns its key. All must have been enqueued.
  [[nodiscard]] Result<std::string> awaitAny(std::span<const std::string> keys);
  [[nodiscard]] Result<Answer> await(const std::string& key);
  /// Waits until a worker has started: time spent waiting for nodes does not count against the
  /// run's budget.
  [[nodiscard]] Result<void> awaitWorker();
  /// Returns and removes the answer, which must have arrived.
  [[nodiscard]] Answer take(const std::string& key);
  /// Returns the number of units that keeps all workers busy for a while.
  [[nodiscard]] std::size_t window() const { return 2 * options_.nodes + options_.compileNodes; }
  /// Returns the maximum number of workers that measure at a time.
  [[nodiscard]] std::size_t nodes() const { return options_.nodes; }
  /// Called every second while waiting, even if the status has not changed.
  void onStatus(std::function<void(const Status&)> listener) { listener_ = std::move(listener); }
  /// Called with the reason why a worker cannot start or continue; not twice in a row with the same
  /// reason.
  void onWorkerFailure(std::function<void(const std::string&)> listener) {
    onWorkerFailure_ = std::move(listener);
  }
  [[nodiscard]] Status status() const;
  [[nodiscard]] HeadCounts counts() const;
  /// Stops the workers and their jobs and removes the spool. The run is finished and in the store.
  [[nodiscard]] Result<void> close();

 private:
  /// A unit without an answer.
  struct Pending {
    QueuedUnit unit;
    enum class State : std::uint8_t {
      compiling,  ///< waits for another unit that compiles for it
      waiting,    ///< waits to be queued
      queued,
      claimed,
    };
    State state = State::waiting;
    std::int64_t missingNs = 0;  ///< since when its file is missing; 0: it is there
  };

  Head(Options options, Spool spool, Slurm slurm)
      : options_(std::move(options)),
        spool_(std::move(spool)),
        jobs_(options_, std::move(slurm), spool_) {}
  /// Performs everything that is due; returns true if something arrived.
  [[nodiscard]] Result<bool> poll();
  [[nodiscard]] Result<void> sendHeartbeat();
  bool collectAnswers();
  void acceptAnswer(Answer answer);
  [[nodiscard]] Result<void> fillQueue();
  [[nodiscard]] Result<void> readDeaths();
  void locateUnits();
  [[nodiscard]] Result<void> readWorkers();
  /// Extends the workers' deadlines by time in which the head itself was blocked, for example by
  /// the file system.
  void extendDeadlines();
  [[nodiscard]] Result<void> loseSilentWorker(const std::string& worker);
  [[nodiscard]] Result<void> readJobs();
  [[nodiscard]] Result<void> jobEnded(const Job& job);
  /// Submits as many workers as there is work for.
  [[nodiscard]] Result<void> startWorkers();
  /// Releases the claims of a lost worker and requeues the units. If `countsDeath`, the units may
  /// have killed it.
  void releaseWorker(const std::string& worker, bool countsDeath, const std::string& why);
  /// Requeues the unit after the death of its worker, or gives it up.
  void handleDeath(const std::string& key, const std::string& worker, const std::string& why);
  /// Counts a death against the unit. After too many, answers it with an error and returns true.
  bool countDeath(const std::string& key, const std::string& worker, const std::string& why);
  /// Requeues the unit after a failure of the worker's machine. After six failures, answers it with
  /// an error.
  void handleMachineFailure(const WorkerDeath& death);
  /// Answers the unit with an error; it is not retried.
  void giveUp(const QueuedUnit& unit, const std::string& worker, const std::string& why);
  /// Reports a failed worker; returns an error if too many failed for the run to continue.
  [[nodiscard]] Result<void> noteFailedWorker(const std::string& worker, const std::string& why);
  [[nodiscard]] Result<void> noteFailedStart(const std::string& worker, const std::string& why);
  [[nodiscard]] std::size_t count(Pending::State state) const;
  void setWaiting(const std::string& key);
  /// Queues the unit, unless an earlier head did.
  void startUnit(const std::string& key);
  [[nodiscard]] Result<void> cancelWithRetries();
  /// Cancels the jobs of a head that was not closed; prints a message if that fails.
  void leave();

  Options options_;
  Spool spool_;
  JobPool jobs_;
  std::map<std::string, Pending> units_;
  std::deque<std::string> waiting_;
  std::map<std::string, Answer> answers_;  ///< not taken yet
  std::set<std::string>
      inherited_;  ///< units queued by an earlier head that are still in the spool
  WorkerHealth workers_;
  std::function<void(const Status&)> listener_;
  std::function<void(const std::string&)> onWorkerFailure_;
  std::string lastFailure_;
  std::int64_t heartbeats_ = 0;
  std::int64_t heartbeatNs_ = 0;
  std::int64_t awakeNs_ = 0;  ///< last time it was active
  std::int64_t placesNs_ = 0;
  std::int64_t workersNs_ = 0;
  std::int64_t unitCount_ = 0;
  std::int64_t requeued_ = 0;
  std::size_t otherNodes_ = 0;  ///< of another kind than the measuring nodes
  std::size_t otherCompileNodes_ = 0;
  std::size_t maxWanted_ = 0;  ///< maximum number of workers wanted at a time
  bool wantsWorker_ = false;   ///< request a worker even without a unit
  bool open_ = true;
};

}  // namespace hone::cluster
