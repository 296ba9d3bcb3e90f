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

/// Jobs by the work of their workers.
struct JobCounts {
  std::size_t measuring = 0;
  std::size_t compiling = 0;
};

/// The Slurm jobs of one run, each a worker. They are submitted as arrays and listed seldom: the
/// scheduler is asked less and less often while nothing changes.
class JobPool {
 public:
  /// The spool must outlive it; it knows which arrays of an earlier head only compile.
  JobPool(Options options, Slurm slurm, Spool& spool);

  /// Returns true if it is time to list the jobs again.
  [[nodiscard]] bool isDue() const;
  void listSoon() { listedNs_ = 0; }
  /// Lists the jobs; returns those that ended since the last time. A scheduler that does not answer
  /// for a while changes nothing; after ten minutes that is an error.
  [[nodiscard]] Result<std::vector<Job>> list();
  /// Returns the workers whose jobs the scheduler has not listed in time, once.
  [[nodiscard]] std::vector<std::string> takeUnlisted();

  /// Returns true while the scheduler does not answer.
  [[nodiscard]] bool isSilent() const { return silentNs_ != 0; }
  [[nodiscard]] const std::vector<Job>& jobs() const { return jobs_; }
  [[nodiscard]] bool isAlive(const std::string& worker) const;
  /// Returns true if this pool submitted the worker's job.
  [[nodiscard]] bool isOwn(const std::string& worker) const;
  [[nodiscard]] bool onlyCompiles(const std::string& worker) const;
  /// Counts the jobs that are there or will be, without the lost workers.
  [[nodiscard]] JobCounts count(const std::function<bool(const std::string&)>& isLost) const;

  /// Returns false while the scheduler is silent and for a while after a submission.
  [[nodiscard]] bool maySubmit() const;
  /// Submits workers, not to the bad nodes.
  [[nodiscard]] Result<void> submit(std::size_t count, bool onlyCompile,
                                    std::span<const std::string> badNodes);
  /// Notes whether the scheduler took the last submission. Returns false if it takes none any more:
  /// it refused the first, or has refused all for ten minutes while none of them runs.
  [[nodiscard]] bool noteSubmission(bool taken, bool anyMeasuring);

  [[nodiscard]] Result<void> cancel(const std::string& worker) { return slurm_.cancel(worker); }
  [[nodiscard]] Result<void> cancelAll() { return slurm_.cancelAll(); }
  [[nodiscard]] const std::string& name() const { return slurm_.name(); }
  [[nodiscard]] std::int64_t schedulerCalls() const { return slurm_.calls(); }

 private:
  /// An array that the scheduler has taken and does not list yet.
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
  std::set<std::string> ended_;   ///< jobs that list() has returned
  std::set<std::string> arrays_;  ///< that this pool has submitted
  std::set<std::string> compileArrays_;
  std::map<std::string, Submitted> unlisted_;
  std::int64_t listedNs_ = 0;
  std::int64_t pauseNs_ = 0;
  std::int64_t submittedNs_ = 0;
  std::int64_t silentNs_ = 0;   ///< since when the scheduler does not answer; 0: it does
  std::int64_t refusedNs_ = 0;  ///< since when it takes no jobs; 0: it does
};

}  // namespace hone::cluster
