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

/// The cluster as a person wants to see it.
struct Status {
  std::size_t nodes = 0;    ///< workers that show signs of life
  std::size_t running = 0;  ///< units in their hands
  std::size_t queued = 0;   ///< units that wait

  /// "2 nodes, 2 running, 7 queued".
  [[nodiscard]] std::string text() const;
};

/// What the head costs, for those who count.
struct HeadCounts {
  std::int64_t schedulerCalls = 0;
  std::int64_t filesWritten = 0;
  std::int64_t units = 0;
  std::int64_t givenBack = 0;  ///< units that lost their worker
};

/// Hands out units to workers and gathers their answers. It starts the jobs of the workers, as many
/// as there is work for; what a worker leaves undone goes to another; a unit over which three died
/// is answered as that. What it hands out has a key, and what was answered under a key before, also
/// to a head that was killed, is not done again.
class Head {
 public:
  /// `name` tells the jobs of this run from those of others. `setup` is what workers are told.
  [[nodiscard]] static Result<std::unique_ptr<Head>> open(const Options& options,
                                                          const std::string& name,
                                                          nlohmann::json setup);
  Head(Head&&) = delete;
  Head& operator=(Head&&) = delete;
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;
  /// Cancels its jobs where nobody has closed it; what was done stays for the next head.
  ~Head();

  [[nodiscard]] Result<void> handOut(QueuedUnit unit);
  /// Waits until one of these is answered; its key. All must have been handed out.
  [[nodiscard]] Result<std::string> awaitAny(std::span<const std::string> keys);
  [[nodiscard]] Result<Answer> await(const std::string& key);
  /// Waits until a worker has begun on its node: what a run may take does not count the time that
  /// its jobs wait for nodes.
  [[nodiscard]] Result<void> awaitWorker();
  /// The answer, which must be there; the head forgets it.
  [[nodiscard]] Answer take(const std::string& key);
  /// Units that would keep all workers busy for a while.
  [[nodiscard]] std::size_t window() const { return 2 * options_.nodes + options_.compileNodes; }
  /// As many workers as may measure at a time.
  [[nodiscard]] std::size_t nodes() const { return options_.nodes; }
  /// Called every second while it waits, whether or not the status has changed.
  void onStatus(std::function<void(const Status&)> listener) { listener_ = std::move(listener); }
  /// Called with what keeps a worker from beginning; not twice in a row with the same.
  void onTrouble(std::function<void(const std::string&)> listener) {
    onTrouble_ = std::move(listener);
  }
  [[nodiscard]] Status status() const;
  [[nodiscard]] HeadCounts counts() const;
  /// Ends the workers and their jobs, and removes the spool: the run is at its end, and in the
  /// store.
  [[nodiscard]] Result<void> close();

 private:
  /// A unit on its way.
  struct Pending {
    QueuedUnit unit;
    enum class At : std::uint8_t {
      compiling,  ///< another unit is on its way that compiles for it
      waiting,    ///< for a place in the queue
      queued,
      claimed,
    };
    At at = At::waiting;
    std::int64_t missingNs = 0;  ///< since when its file is nowhere; 0: it is there
  };
  Head(Options options, Spool spool, Slurm slurm)
      : options_(std::move(options)),
        spool_(std::move(spool)),
        jobs_(options_, std::move(slurm), spool_) {}
  /// Looks after everything that is due; whether anything came.
  [[nodiscard]] Result<bool> look();
  [[nodiscard]] Result<void> beat();
  bool gather();
  void settle(Answer answer);
  [[nodiscard]] Result<void> feed();
  [[nodiscard]] Result<void> readDeaths();
  void readPlaces();
  [[nodiscard]] Result<void> readWorkers();
  /// Time in which the head itself saw nothing, as when the file system stood still, is not held
  /// against the workers.
  void forgiveDelay();
  [[nodiscard]] Result<void> giveUpSilent(const std::string& worker);
  [[nodiscard]] Result<void> readJobs();
  [[nodiscard]] Result<void> jobEnded(const Job& job);
  /// Submits as many workers as there is work for.
  [[nodiscard]] Result<void> startWorkers();
  /// The worker will not finish what it has.
  void lose(const std::string& worker, bool itsFault, const std::string& why);
  void died(const std::string& key, const std::string& worker, const std::string& why);
  /// A death more for the unit; after too many it is answered as that, and this is true.
  bool blame(const std::string& key, const std::string& worker, const std::string& why);
  /// The machine of the worker failed at the unit, which goes to another; after very many it is
  /// answered as that.
  void failed(const Death& death);
  /// Nobody is to try the unit again: that is its answer.
  void giveUp(const QueuedUnit& unit, const std::string& worker, const std::string& why);
  /// Reports a worker that failed; returns an error if so many failed that none will work.
  [[nodiscard]] Result<void> failedWorker(const std::string& worker, const std::string& why);
  [[nodiscard]] Result<void> failedStart(const std::string& worker, const std::string& why);
  [[nodiscard]] std::size_t count(Pending::At at) const;
  void wait(const std::string& key);
  void begin(const std::string& key);
  [[nodiscard]] Result<void> cancelPatiently();
  /// Ends the jobs of a head that nobody has closed; says so where they stay.
  void leave();

  Options options_;
  Spool spool_;
  JobPool jobs_;
  std::map<std::string, Pending> units_;
  std::deque<std::string> waiting_;
  std::map<std::string, Answer> answers_;  ///< that nobody has taken yet
  std::set<std::string> inherited_;  ///< units that an earlier head put, and that are still there
  WorkerHealth workers_;
  std::function<void(const Status&)> listener_;
  std::function<void(const std::string&)> onTrouble_;
  std::string lastTrouble_;
  std::int64_t beats_ = 0;
  std::int64_t beatNs_ = 0;
  std::int64_t awakeNs_ = 0;  ///< when it last went on
  std::int64_t placesNs_ = 0;
  std::int64_t workersNs_ = 0;
  std::int64_t unitCount_ = 0;
  std::int64_t givenBack_ = 0;
  std::size_t otherNodes_ = 0;  ///< that were of another kind than those that measure
  std::size_t otherCompileNodes_ = 0;
  std::size_t mostWanted_ = 0;  ///< workers at a time
  bool wantsWorker_ = false;    ///< also without a unit for it
  bool open_ = true;
};

}  // namespace hone::cluster
