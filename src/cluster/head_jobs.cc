// The head and the scheduler: which jobs there are, how they ended, and how many are wanted.
#include <fmt/ranges.h>

#include <algorithm>

#include "base/clock.h"
#include "cluster/head.h"

namespace hone::cluster {
namespace {

/// The scheduler is asked after this time, and less and less often while nothing changes.
constexpr std::int64_t kJobsNs = 5 * kSecondNs;
constexpr std::int64_t kLongestJobsNs = 60 * kSecondNs;
constexpr std::int64_t kSubmitNs = 10 * kSecondNs;
/// A node on which so many workers in a row could not work is not asked for again.
constexpr int kBadNode = 2;
/// More in one array are refused where nobody has set MaxArraySize (1001).
constexpr std::size_t kLargestArray = 1000;
/// A scheduler that is silent for so long will not come back.
constexpr std::int64_t kSilentNs = 600 * kSecondNs;

/// "12" of "12_3".
std::string arrayOf(const std::string& job) { return job.substr(0, job.find('_')); }

std::vector<std::string> statesOf(const std::vector<Job>& jobs) {
  std::vector<std::string> states;
  for (const Job& job : jobs) {
    states.push_back(fmt::format("{} {}", job.id, job.state));
  }
  std::sort(states.begin(), states.end());
  return states;
}

}  // namespace

Result<void> Head::readJobs() {
  jobsNs_ = nowNs();
  auto jobs = slurm_.jobs();
  if (!jobs) {
    if (jobs.error().fault == Fault::interrupted) {
      return std::unexpected(jobs.error());
    }
    schedulerSilentNs_ = schedulerSilentNs_ == 0 ? nowNs() : schedulerSilentNs_;
    return nowNs() - schedulerSilentNs_ > kSilentNs ? Result<void>(std::unexpected(jobs.error()))
                                                    : Result<void>();
  }
  schedulerSilentNs_ = 0;
  const bool changed = statesOf(*jobs) != statesOf(jobs_);
  jobs_ = std::move(*jobs);
  for (const Job& job : jobs_) {
    unlisted_.erase(arrayOf(job.id));
    if (job.ended() && endedJobs_.insert(job.id).second) {
      HONE_CHECK(jobEnded(job));
    } else if (job.state == "RUNNING") {
      workers_.try_emplace(job.id, Known{-1, nowNs(), false});  // it should show itself
    }
  }
  jobsPauseNs_ = changed || !unlisted_.empty()
                     ? kJobsNs
                     : std::min(2 * std::max(jobsPauseNs_, kJobsNs), kLongestJobsNs);
  return giveUpUnlisted();
}

Result<void> Head::giveUpUnlisted() {
  const auto lostNs = static_cast<std::int64_t>(options_.lostSeconds * 1e9);
  for (auto next = unlisted_.begin(); next != unlisted_.end();) {
    const auto at = next++;
    if (nowNs() - at->second.sinceNs <= lostNs) {
      continue;
    }
    const auto [array, submitted] = *at;
    unlisted_.erase(at);
    for (std::size_t i = 1; i <= submitted.count; ++i) {
      HONE_CHECK(badWorker(fmt::format("{}_{}", array, i), "the scheduler does not list its job"));
    }
  }
  return {};
}

Result<void> Head::jobEnded(const Job& job) {
  const std::string why = fmt::format("the job of its worker ended as {}", job.state);
  lose(job.id, !job.takenAway() && !job.overTime(), why);
  workers_[job.id].lost = true;
  if (job.overTime()) {
    // Its worker may have put the unit back in time; the next job will not be longer.
    blame(hands_[job.id], job.id, fmt::format("{}: give jobs more time (sbatch-args)", why));
  }
  const bool well = job.takenAway() || job.state == "COMPLETED";
  return well || !arrays_.contains(arrayOf(job.id))
             ? Result<void>()
             : badWorker(job.id, fmt::format("its job ended as {}", job.state));
}

bool Head::onlyCompiles(const std::string& worker) const {
  return compileArrays_.contains(arrayOf(worker));
}

Result<void> Head::submit(std::size_t count, bool onlyCompile) {
  for (; count > kLargestArray; count -= kLargestArray) {
    HONE_CHECK(submitArray(kLargestArray, onlyCompile));
  }
  return submitArray(count, onlyCompile);
}

Result<void> Head::submitArray(std::size_t count, bool onlyCompile) {
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
  std::vector<std::string> bad;
  for (const auto& [node, workers] : badOn_) {
    if (!node.empty() && workers >= kBadNode) {
      bad.push_back(node);
    }
  }
  if (!bad.empty()) {
    request.options.push_back(fmt::format("--exclude={}", fmt::join(bad, ",")));
  }
  request.options.insert(request.options.end(), options_.sbatchArgs.begin(),
                         options_.sbatchArgs.end());
  const std::string array = HONE_TRY(slurm_.submit(request));
  arrays_.insert(array);
  unlisted_[array] = {count, onlyCompile, nowNs()};
  submitNs_ = nowNs();
  jobsNs_ = 0;  // look at them soon
  jobsPauseNs_ = kJobsNs;
  if (onlyCompile) {
    compileArrays_.insert(array);
    HONE_CHECK(spool_.markCompileArray(array));
  }
  return {};
}

Result<void> Head::startWorkers() {
  const std::size_t open =
      std::max<std::size_t>(units_.size() - count(Pending::At::compiling), wantsWorker_ ? 1 : 0);
  if (open == 0 || schedulerSilentNs_ != 0 || (submitNs_ != 0 && nowNs() - submitNs_ < kSubmitNs)) {
    return {};
  }
  std::size_t measuring = 0;
  std::size_t compiling = 0;
  for (const Job& job : jobs_) {
    const auto worker = workers_.find(job.id);
    const bool counts = job.alive() && (worker == workers_.end() || !worker->second.lost);
    (onlyCompiles(job.id) ? compiling : measuring) += counts ? 1 : 0;
  }
  for (const auto& [array, submitted] : unlisted_) {
    (submitted.onlyCompile ? compiling : measuring) += submitted.count;
  }
  // Where nodes are of several kinds, those of another kind are not asked for again.
  const std::size_t nodes =
      std::max<std::size_t>(1, options_.nodes - std::min(options_.nodes, otherNodes_));
  const std::size_t compileNodes =
      options_.compileNodes - std::min(options_.compileNodes, otherCompileNodes_);
  const auto toCompile = static_cast<std::size_t>(std::count_if(
      units_.begin(), units_.end(), [](const auto& one) { return one.second.unit.onlyCompile; }));
  const std::size_t wanted = std::min(nodes, open);
  const std::size_t wantedToCompile = std::min(compileNodes, toCompile);
  mostWanted_ = std::max(mostWanted_, wanted + wantedToCompile);
  Result<void> submitted;
  if (measuring < wanted) {
    submitted = submit(wanted - measuring, false);
  }
  if (submitted && compiling < wantedToCompile) {
    submitted = submit(wantedToCompile - compiling, true);
  }
  if (submitted || submitted.error().fault == Fault::interrupted) {
    refusedNs_ = 0;
    return submitted;
  }
  // One that took jobs before, from this head or an earlier one, may be busy, or has a limit for
  // now; one that is silent may have taken them. The workers there are go on.
  submitNs_ = nowNs();
  jobsNs_ = 0;
  badOn_.clear();  // there may be no others
  refusedNs_ = refusedNs_ == 0 ? nowNs() : refusedNs_;
  const bool refused = slurm_.answered() && arrays_.empty() && jobs_.empty();
  const bool hopeless = refused || (measuring == 0 && nowNs() - refusedNs_ > kSilentNs);
  return hopeless ? submitted : Result<void>();
}

}  // namespace hone::cluster
