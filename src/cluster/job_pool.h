#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cluster/settings/options.h"
#include "cluster/slurm.h"
#include "cluster/spool/spool.h"

namespace hone::cluster {

/// Number of jobs by the kind of their worker.
struct JobCounts {
  std::size_t measuring = 0;
  std::size_t compiling = 0;
};

/// The Slurm jobs of one run, each a worker. Submits them as arrays, and lists them less and less
/// often while nothing changes.
class JobPool {
 public:
  /// The spool must outlive the pool; it records which arrays of an earlier head only compile.
  JobPool(Options options, Slurm slurm, Spool& spool);

  /// Returns true if it is time to list the jobs again.
  [[nodiscard]] bool isDue() const;
  void listSoon() { listedNs_ = 0; }
  /// Lists the jobs; returns those that ended since the last time. Tolerates a scheduler that does
  /// not respond; after ten minutes that is an error.
  [[nodiscard]] Result<std::vector<Job>> list();
  /// Returns, once, the workers whose jobs the scheduler has not listed in time.
  [[nodiscard]] std::vector<std::string> takeUnlisted();

  /// Returns true while the scheduler does not respond.
  [[nodiscard]] bool isSilent() const { return silentNs_ != 0; }
  [[nodiscard]] const std::vector<Job>& jobs() const { return jobs_; }
  [[nodiscard]] bool isAlive(const std::string& worker) const;
  /// Returns true if this pool submitted the worker's job.
  [[nodiscard]] bool isOwn(const std::string& worker) const;
  [[nodiscard]] bool onlyCompiles(const std::string& worker) const;
  /// Counts pending and running jobs, without the lost workers.
  [[nodiscard]] JobCounts count(const std::function<bool(const std::string&)>& isLost) const;

  /// Returns false while the scheduler does not respond and for a while after a submission.
  [[nodiscard]] bool maySubmit() const;
  /// Submits workers, excluding the bad nodes.
  [[nodiscard]] Result<void> submit(std::size_t count, bool onlyCompile,
                                    std::span<const std::string> badNodes);
  /// Records whether the scheduler accepted the last submission. Returns false to give up: it
  /// rejected the first, or has rejected all for ten minutes while none is measuring.
  [[nodiscard]] bool noteSubmission(bool taken, bool anyMeasuring);

  [[nodiscard]] Result<void> cancel(const std::string& worker) { return slurm_.cancel(worker); }
  [[nodiscard]] Result<void> cancelAll() { return slurm_.cancelAll(); }
  [[nodiscard]] const std::string& name() const { return slurm_.name(); }
  [[nodiscard]] std::int64_t schedulerCalls() const { return slurm_.calls(); }

 private:
  /// An accepted array that the scheduler does not list yet.
  struct Submitted {
    std::size_t count = 0;
    bool onlyCompile = false;
    std::int64_t sinceNs = 0;
  };

  [[nodiscard]] Result<void> submitArray(std::size_t count, bool onlyCompile,
                                         std::span<const std::string> badNodes);
  [[nodiscard]] JobRequest requestFor(std::size_t count, bool onlyCompile,
                                      std::span<const std::string> badNodes) const;

  Options options_;
  Slurm slurm_;
  Spool& spool_;
  std::vector<Job> jobs_;
  std::set<std::string> ended_;   ///< jobs already returned by list()
  std::set<std::string> arrays_;  ///< submitted by this pool
  std::set<std::string> compileArrays_;
  std::map<std::string, Submitted> unlisted_;
  std::int64_t listedNs_ = 0;
  std::int64_t pauseNs_ = 0;
  std::int64_t submittedNs_ = 0;
  std::int64_t silentNs_ = 0;   ///< since when the scheduler does not respond; 0: it does
  std::int64_t refusedNs_ = 0;  ///< since when it rejects jobs; 0: it does not
};

}  // namespace hone::cluster
