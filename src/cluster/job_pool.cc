#include "cluster/job_pool.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace hone::cluster {
namespace {

/// Interval of listing jobs; it grows while nothing changes.
constexpr std::int64_t kListNs = 5 * kSecondNs;
constexpr std::int64_t kMaxListNs = 60 * kSecondNs;
constexpr std::int64_t kSubmitNs = 10 * kSecondNs;
/// Larger arrays are rejected with the default MaxArraySize (1001).
constexpr std::size_t kMaxArraySize = 1000;
/// A scheduler that does not respond for this long is considered gone.
constexpr std::int64_t kSilentNs = 600 * kSecondNs;

/// Returns "12" of "12_3".
std::string arrayId(const std::string& job) { return job.substr(0, job.find('_')); }

std::vector<std::string> jobStates(const std::vector<Job>& jobs) {
  std::vector<std::string> states;
  for (const Job& job : jobs) {
    states.push_back(fmt::format("{} {}", job.id, job.state));
  }
  std::ranges::sort(states);
  return states;
}

}  // namespace

JobPool::JobPool(Options options, Slurm slurm, Spool& spool)
    : options_(std::move(options)), slurm_(std::move(slurm)), spool_(spool) {
  for (const std::string& array : spool.compileArrays()) {
    compileArrays_.insert(array);
  }
}

bool JobPool::isDue() const { return nowNs() - listedNs_ > pauseNs_; }

Result<std::vector<Job>> JobPool::list() {
  listedNs_ = nowNs();
  auto jobs = slurm_.jobs();
  if (!jobs) {
    silentNs_ = silentNs_ == 0 ? nowNs() : silentNs_;
    const bool fatal = jobs.error().fault == Fault::interrupted || nowNs() - silentNs_ > kSilentNs;
    return fatal ? Result<std::vector<Job>>(std::unexpected(jobs.error())) : std::vector<Job>();
  }
  silentNs_ = 0;
  const bool changed = jobStates(*jobs) != jobStates(jobs_);
  jobs_ = std::move(*jobs);
  std::vector<Job> ended;
  for (const Job& job : jobs_) {
    unlisted_.erase(arrayId(job.id));
    if (job.ended() && ended_.insert(job.id).second) {
      ended.push_back(job);
    }
  }
  pauseNs_ = changed || !unlisted_.empty() ? kListNs
                                           : std::min(2 * std::max(pauseNs_, kListNs), kMaxListNs);
  return ended;
}

std::vector<std::string> JobPool::takeUnlisted() {
  const auto lostNs = static_cast<std::int64_t>(options_.lostSeconds * 1e9);
  std::vector<std::string> workers;
  std::erase_if(unlisted_, [&](const auto& entry) {
    const auto& [array, submitted] = entry;
    const bool lost = nowNs() - submitted.sinceNs > lostNs;
    for (std::size_t i = 1; lost && i <= submitted.count; ++i) {
      workers.push_back(fmt::format("{}_{}", array, i));
    }
    return lost;
  });
  return workers;
}

bool JobPool::isAlive(const std::string& worker) const {
  return std::ranges::any_of(jobs_,
                             [&](const Job& job) { return job.id == worker && job.alive(); });
}

bool JobPool::isOwn(const std::string& worker) const { return arrays_.contains(arrayId(worker)); }

bool JobPool::onlyCompiles(const std::string& worker) const {
  return compileArrays_.contains(arrayId(worker));
}

JobCounts JobPool::count(const std::function<bool(const std::string&)>& isLost) const {
  JobCounts counts;
  for (const Job& job : jobs_) {
    if (job.alive() && !isLost(job.id)) {
      ++(onlyCompiles(job.id) ? counts.compiling : counts.measuring);
    }
  }
  for (const auto& [array, submitted] : unlisted_) {
    (submitted.onlyCompile ? counts.compiling : counts.measuring) += submitted.count;
  }
  return counts;
}

bool JobPool::maySubmit() const {
  return !isSilent() && (submittedNs_ == 0 || nowNs() - submittedNs_ >= kSubmitNs);
}

Result<void> JobPool::submit(std::size_t count, bool onlyCompile,
                             std::span<const std::string> badNodes) {
  for (; count > kMaxArraySize; count -= kMaxArraySize) {
    HONE_CHECK(submitArray(kMaxArraySize, onlyCompile, badNodes));
  }
  return submitArray(count, onlyCompile, badNodes);
}

JobRequest JobPool::requestFor(std::size_t count, bool onlyCompile,
                               std::span<const std::string> badNodes) const {
  JobRequest request;
  request.count = count;
  request.script = spool_.folder() / (onlyCompile ? "compile.sh" : "measure.sh");
  request.logs = spool_.folder() / "logs";
  const std::string& partition = onlyCompile && !options_.compilePartition.empty()
                                     ? options_.compilePartition
                                     : options_.partition;
  if (!partition.empty()) {
    request.options.push_back(fmt::format("--partition={}", partition));
  }
  if (!options_.account.empty()) {
    request.options.push_back(fmt::format("--account={}", options_.account));
  }
  if (!onlyCompile) {
    request.options.emplace_back("--exclusive");
    request.options.emplace_back("--nodes=1");
    if (!options_.gres.empty()) {
      request.options.push_back(fmt::format("--gres={}", options_.gres));
    }
  }
  if (!badNodes.empty()) {
    request.options.push_back(fmt::format("--exclude={}", fmt::join(badNodes, ",")));
  }
  request.options.insert(request.options.end(), options_.sbatchArgs.begin(),
                         options_.sbatchArgs.end());
  return request;
}

Result<void> JobPool::submitArray(std::size_t count, bool onlyCompile,
                                  std::span<const std::string> badNodes) {
  const std::string array = HONE_TRY(slurm_.submit(requestFor(count, onlyCompile, badNodes)));
  arrays_.insert(array);
  unlisted_[array] = {count, onlyCompile, nowNs()};
  submittedNs_ = nowNs();
  listSoon();
  pauseNs_ = kListNs;
  if (onlyCompile) {
    compileArrays_.insert(array);
    HONE_CHECK(spool_.markCompileArray(array));
  }
  return {};
}

bool JobPool::noteSubmission(bool taken, bool anyMeasuring) {
  if (taken) {
    refusedNs_ = 0;
    return true;
  }
  // A scheduler that accepted jobs before, also for an earlier head, may be busy or at a limit. One
  // that does not respond may have accepted them. Existing workers continue.
  submittedNs_ = nowNs();
  listSoon();
  refusedNs_ = refusedNs_ == 0 ? nowNs() : refusedNs_;
  const bool refused = slurm_.answered() && arrays_.empty() && jobs_.empty();
  return !refused && (anyMeasuring || nowNs() - refusedNs_ <= kSilentNs);
}

}  // namespace hone::cluster
