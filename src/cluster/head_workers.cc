// The head's eye on its workers: who lives, who died over what, and how many jobs are wanted.
#include <algorithm>

#include "base/clock.h"
#include "cluster/head.h"

namespace hone::cluster {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
/// The scheduler is asked after this time, and less and less often while nothing changes.
constexpr std::int64_t kJobsNs = 5 * kSecondNs;
constexpr std::int64_t kLongestJobsNs = 60 * kSecondNs;
constexpr std::int64_t kSubmitNs = 10 * kSecondNs;
/// A scheduler that is silent for so long will not come back.
constexpr std::int64_t kSilentNs = 600 * kSecondNs;
/// A unit over which so many workers died is not tried again.
constexpr int kMostDeaths = 3;
/// After so many workers in a row that could not begin, something is wrong with all.
constexpr int kMostBadWorkers = 3;

/// "12" of "12_3".
std::string arrayOf(const std::string& job) { return job.substr(0, job.find('_')); }

}  // namespace

void Head::died(const std::string& key, const std::string& worker, const std::string& why) {
  const auto at = units_.find(key);
  if (at == units_.end()) {
    return;
  }
  ++givenBack_;
  if (++at->second.unit.deaths < kMostDeaths) {
    wait(key);
    return;
  }
  Answer answer;
  answer.key = key;
  answer.killed = true;
  answer.worker = worker;
  answer.error =
      Error{Fault::user, fmt::format("{} workers died over it; the last: {}", kMostDeaths, why)};
  static_cast<void>(spool_.keepDone(answer));  // not to be tried again by the next head
  settle(std::move(answer));
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
    }
  }
}

Result<void> Head::readDeaths() {
  for (const Death& death : spool_.takeDeaths()) {
    if (!death.key.empty()) {
      died(death.key, death.worker, death.why);
    } else if (death.why == kOtherKind) {
      ++(onlyCompiles(death.worker) ? otherCompileNodes_ : otherNodes_);
    } else if (++badWorkers_ >= kMostBadWorkers) {
      return machineError("the workers cannot begin on their nodes: {}", death.why);
    }
  }
  return {};
}

void Head::readWorkers() {
  const auto lostNs = static_cast<std::int64_t>(options_.lostSeconds * 1e9);
  const std::vector<std::string> there = spool_.workers();
  for (const Claim& claim : spool_.claims()) {
    workers_.try_emplace(claim.worker, Known{-1, nowNs(), false});
  }
  for (const std::string& name : there) {
    Known& known = workers_[name];
    if (known.lost) {
      continue;
    }
    if (const Beat beat = spool_.beatOf(name); beat.count != known.count || known.seenNs == 0) {
      known.count = beat.count;
      known.seenNs = nowNs();
    } else if (nowNs() - known.seenNs > lostNs) {
      known.lost = true;
      lose(name, true, "its worker shows no sign of life");
    }
  }
  for (auto& [name, known] : workers_) {
    const bool waitedFor = known.count < 0 && nowNs() - known.seenNs <= lostNs;
    if (!known.lost && !waitedFor && !std::binary_search(there.begin(), there.end(), name)) {
      known.lost = true;  // it left, or never was; another may be wanted
      lose(name, true, "its worker is gone");
      jobsNs_ = 0;
    }
  }
}

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
  const auto states = [](const std::vector<Job>& all) {
    std::vector<std::string> texts;
    for (const Job& job : all) {
      texts.push_back(fmt::format("{} {}", job.id, job.state));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  };
  const bool changed = states(*jobs) != states(jobs_);
  jobsPauseNs_ = changed ? kJobsNs : std::min(2 * std::max(jobsPauseNs_, kJobsNs), kLongestJobsNs);
  jobs_ = std::move(*jobs);
  for (const Job& job : jobs_) {
    if (!job.alive() && endedJobs_.insert(job.id).second) {
      lose(job.id, !job.takenAway(), fmt::format("the job of its worker ended as {}", job.state));
      workers_[job.id].lost = true;
    }
  }
  return {};
}

bool Head::onlyCompiles(const std::string& worker) const {
  const auto array = compileJobs_.find(arrayOf(worker));
  return array != compileJobs_.end() && array->second;
}

Result<void> Head::submit(std::size_t count, bool onlyCompile) {
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
  request.options.insert(request.options.end(), options_.sbatchArgs.begin(),
                         options_.sbatchArgs.end());
  compileJobs_[HONE_TRY(slurm_.submit(request))] = onlyCompile;
  submitNs_ = nowNs();
  jobsNs_ = 0;  // look at them soon
  jobsPauseNs_ = kJobsNs;
  return {};
}

Result<void> Head::startWorkers() {
  const std::size_t open = units_.size() - count(Pending::At::compiling);
  if (open == 0 || schedulerSilentNs_ != 0 || (submitNs_ != 0 && nowNs() - submitNs_ < kSubmitNs)) {
    return {};
  }
  std::size_t measuring = 0;
  std::size_t compiling = 0;
  for (const Job& job : jobs_) {
    (onlyCompiles(job.id) ? compiling : measuring) += job.alive() ? 1 : 0;
  }
  // Where nodes are of several kinds, those of another kind are not asked for again.
  const std::size_t nodes =
      std::max<std::size_t>(1, options_.nodes - std::min(options_.nodes, otherNodes_));
  const std::size_t compileNodes =
      options_.compileNodes - std::min(options_.compileNodes, otherCompileNodes_);
  const std::size_t wanted = std::min(nodes, open);
  const std::size_t wantedToCompile = std::min(compileNodes, open);
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
  // One that took jobs before may be busy, or has a limit for now; the workers there are go on.
  submitNs_ = nowNs();
  refusedNs_ = refusedNs_ == 0 ? nowNs() : refusedNs_;
  const bool hopeless =
      compileJobs_.empty() || (measuring == 0 && nowNs() - refusedNs_ > kSilentNs);
  return hopeless ? submitted : Result<void>();
}

}  // namespace hone::cluster
