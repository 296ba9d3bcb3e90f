#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cluster/job_pool.h"
#include "cluster/settings/options.h"
#include "cluster/slurm.h"
#include "cluster/spool/queued_unit.h"
#include "cluster/spool/spool.h"
#include "cluster/unit_queue.h"
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
                                                          WorkerSetup setup);
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
  [[nodiscard]] Answer take(const std::string& key) { return units_.take(key); }
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
  Head(Options options, Spool spool, Slurm slurm)
      : options_(std::move(options)),
        spool_(std::move(spool)),
        jobs_(options_, std::move(slurm), spool_),
        units_(spool_, options_.compileNodes > 0) {}
  /// Performs everything that is due; returns true if something arrived.
  [[nodiscard]] Result<bool> poll();
  [[nodiscard]] Result<void> sendHeartbeat();
  bool collectAnswers();
  [[nodiscard]] Result<void> readDeaths();
  void locateUnits();
  [[nodiscard]] Result<void> readWorkers();
  /// Returns the time without a heartbeat after which a worker is lost.
  [[nodiscard]] std::int64_t lostNs() const {
    return static_cast<std::int64_t>(options_.lostSeconds * 1e9);
  }
  /// Extends the workers' deadlines by time in which the head itself was blocked, for example by
  /// the file system.
  void extendDeadlines();
  [[nodiscard]] Result<void> loseSilentWorker(const std::string& worker);
  [[nodiscard]] Result<void> readJobs();
  [[nodiscard]] Result<void> jobEnded(const Job& job);
  /// Submits as many workers as there is work for.
  [[nodiscard]] Result<void> startWorkers();
  /// Reports a failed worker; returns an error if too many failed for the run to continue.
  [[nodiscard]] Result<void> noteFailedWorker(const std::string& worker, const std::string& why);
  [[nodiscard]] Result<void> noteFailedStart(const std::string& worker, const std::string& why);
  [[nodiscard]] Result<void> cancelWithRetries();
  /// Cancels the jobs of a head that was not closed; prints a message if that fails.
  void leave();

  Options options_;
  Spool spool_;
  JobPool jobs_;
  UnitQueue units_;
  WorkerHealth workers_;
  std::function<void(const Status&)> listener_;
  std::function<void(const std::string&)> onWorkerFailure_;
  std::string lastFailure_;
  std::int64_t heartbeats_ = 0;
  std::int64_t heartbeatNs_ = 0;
  std::int64_t awakeNs_ = 0;  ///< last time it was active
  std::int64_t placesNs_ = 0;
  std::int64_t workersNs_ = 0;
  std::size_t otherNodes_ = 0;  ///< of another kind than the measuring nodes
  std::size_t otherCompileNodes_ = 0;
  std::size_t maxWanted_ = 0;  ///< maximum number of workers wanted at a time
  bool wantsWorker_ = false;   ///< request a worker even without a unit
  bool open_ = true;
};

}  // namespace hone::cluster
