#include "cluster/head.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/machine.h"

namespace hone::cluster {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kBeatNs = 5 * kSecondNs;
constexpr std::int64_t kPlacesNs = kSecondNs;
constexpr std::int64_t kWorkersNs = 3 * kSecondNs;
/// The scheduler is asked after this time, and less and less often while nothing changes.
constexpr std::int64_t kJobsNs = 5 * kSecondNs;
constexpr std::int64_t kLongestJobsNs = 60 * kSecondNs;
constexpr std::int64_t kSubmitNs = 10 * kSecondNs;
/// A scheduler that is silent for so long will not come back.
constexpr std::int64_t kSilentNs = 600 * kSecondNs;
constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kLongestPause{200};
/// A unit over which so many workers died is not tried again.
constexpr int kMostDeaths = 3;
/// After so many workers in a row that could not begin, something is wrong with all.
constexpr int kMostBadWorkers = 3;
constexpr std::string_view kCompileSuffix = "c";

/// "12" of "12_3".
std::string arrayOf(const std::string& job) { return job.substr(0, job.find('_')); }

/// The unit that compiles what another will measure.
Unit compileUnit(const Unit& unit) {
  Unit compile = unit;
  compile.key = fmt::format("{}{}", unit.key, kCompileSuffix);
  compile.onlyCompile = true;
  return compile;
}

std::string shellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace

std::string Status::text() const {
  return fmt::format("{} node{}, {} running, {} queued", nodes, nodes == 1 ? "" : "s", running,
                     queued);
}

Result<std::unique_ptr<Head>> Head::open(const Options& options, const std::string& name,
                                         nlohmann::json setup) {
  HONE_CHECK(Slurm::check());
  if (options.nodes == 0) {
    return userError("--nodes: at least one node has to measure");
  }
  setup["idle_seconds"] = options.idleSeconds;
  setup["head_seconds"] = options.headSeconds;
  setup["shared"] = options.sharedFolder().string();
  auto spool = HONE_TRY(Spool::create(options.sharedFolder() / "runs" / name, setup));
  std::unique_ptr<Head> head(
      new Head(options, std::move(spool), Slurm(fmt::format("hone-{}", name))));
  // What an earlier head said must not end the workers of this one.
  head->beats_ = head->spool_.headBeat().count;
  HONE_CHECK(head->beat());
  const std::string program = HONE_TRY(ownProgram()).string();
  for (const bool onlyCompile : {false, true}) {
    const std::string script = fmt::format("#!/bin/sh\nexec {} worker {}{}\n", shellQuoted(program),
                                           shellQuoted(head->spool_.folder().string()),
                                           onlyCompile ? " --only-compile" : "");
    HONE_CHECK(
        writeFile(head->spool_.folder() / (onlyCompile ? "compile.sh" : "measure.sh"), script));
  }
  for (const std::string& key : head->spool_.queuedKeys()) {
    head->inherited_.insert(key);
  }
  for (const Claim& claim : head->spool_.claims()) {
    head->inherited_.insert(claim.key());
  }
  HONE_CHECK(head->readJobs());
  return head;
}

Head::~Head() {
  if (open_) {
    cancel();
  }
}

Result<void> Head::beat() {
  beatNs_ = nowNs();
  return spool_.beatHead(++beats_, false);
}

void Head::wait(const std::string& key) {
  units_[key].at = Pending::At::waiting;
  waiting_.push_back(key);
}

void Head::begin(const std::string& key) {
  if (inherited_.erase(key) > 0) {
    units_[key].at = Pending::At::queued;
  } else {
    wait(key);
  }
}

Result<void> Head::handOut(Unit unit) {
  const std::string key = unit.key;
  if (units_.contains(key) || answers_.contains(key)) {
    return {};
  }
  ++unitCount_;
  if (auto done = spool_.doneAnswer(key)) {
    answers_.emplace(key, std::move(*done));
    return {};
  }
  Unit compile = compileUnit(unit);
  const bool compileFirst =
      options_.compileNodes > 0 && !inherited_.contains(key) && !spool_.doneAnswer(compile.key);
  units_[key].unit = std::move(unit);
  if (compileFirst) {
    units_[key].at = Pending::At::compiling;
    const std::string first = compile.key;
    units_[first].unit = std::move(compile);
    begin(first);
  } else {
    begin(key);
  }
  return {};
}

std::size_t Head::count(Pending::At at) const {
  return static_cast<std::size_t>(std::count_if(
      units_.begin(), units_.end(), [&](const auto& entry) { return entry.second.at == at; }));
}

Result<void> Head::feed() {
  std::size_t queued = waiting_.empty() ? 0 : count(Pending::At::queued);
  while (queued < window() && !waiting_.empty()) {
    const auto at = units_.find(waiting_.front());
    waiting_.pop_front();
    if (at == units_.end() || at->second.at != Pending::At::waiting) {
      continue;
    }
    HONE_CHECK(spool_.put(at->second.unit));
    at->second.at = Pending::At::queued;
    ++queued;
  }
  return {};
}

void Head::settle(Answer answer) {
  const std::string key = answer.key;
  const auto at = units_.find(key);
  if (at == units_.end()) {
    return;  // of an earlier head that asked for more, or the second answer to a unit given twice
  }
  if (at->second.at == Pending::At::queued) {
    spool_.withdraw(key);
  }
  const bool onlyCompile = at->second.unit.onlyCompile;
  units_.erase(at);
  if (!onlyCompile) {
    answers_[key] = std::move(answer);
    return;
  }
  // What does not compile, or killed the worker that compiled it, shows where it is measured.
  const std::string measured = key.substr(0, key.size() - kCompileSuffix.size());
  if (units_.contains(measured)) {
    wait(measured);
  }
}

bool Head::gather() {
  auto answers = spool_.takeAnswers();
  for (Answer& answer : answers) {
    badWorkers_ = 0;
    settle(std::move(answer));
  }
  return !answers.empty();
}

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

void Head::readPlaces() {
  std::map<std::string, Pending::At> places;
  // In the order in which a unit moves, so that one on its way is seen at least once.
  for (const std::string& key : spool_.queuedKeys()) {
    places[key] = Pending::At::queued;
  }
  for (const Claim& claim : spool_.claims()) {
    places[claim.key()] = Pending::At::claimed;
  }
  gather();
  const auto lostNs = static_cast<std::int64_t>(options_.lostSeconds * 1e9);
  for (auto& [key, pending] : units_) {
    if (const auto place = places.find(key); place != places.end()) {
      pending.at = place->second;
      pending.missingNs = 0;
    } else if (pending.at == Pending::At::queued || pending.at == Pending::At::claimed) {
      // Its file was damaged and nobody has it, or a listing is late.
      pending.missingNs = pending.missingNs == 0 ? nowNs() : pending.missingNs;
      if (nowNs() - pending.missingNs > lostNs) {
        pending.missingNs = 0;
        wait(key);
      }
    }
  }
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

Result<bool> Head::look() {
  if (interrupted()) {
    return interruptedError();
  }
  const bool came = gather();
  if (nowNs() - beatNs_ > kBeatNs) {
    HONE_CHECK(beat());
  }
  if (nowNs() - placesNs_ > kPlacesNs) {
    placesNs_ = nowNs();
    HONE_CHECK(readDeaths());
    readPlaces();
    tell();
  }
  if (nowNs() - workersNs_ > kWorkersNs) {
    workersNs_ = nowNs();
    readWorkers();
  }
  HONE_CHECK(feed());
  if (nowNs() - jobsNs_ > jobsPauseNs_) {
    HONE_CHECK(readJobs());
  }
  HONE_CHECK(startWorkers());
  return came;
}

Result<std::string> Head::awaitAny(std::span<const std::string> keys) {
  std::chrono::milliseconds pause = kFirstPause;
  while (true) {
    for (const std::string& key : keys) {
      if (answers_.contains(key)) {
        return key;
      }
    }
    pause = HONE_TRY(look()) ? kFirstPause : std::min(2 * pause, kLongestPause);
    if (pause > kFirstPause) {
      std::this_thread::sleep_for(pause);
    }
  }
}

Result<Answer> Head::await(const std::string& key) {
  HONE_CHECK(awaitAny(std::span(&key, 1)));
  return take(key);
}

Answer Head::take(const std::string& key) {
  Answer answer = std::move(answers_.at(key));
  answers_.erase(key);
  return answer;
}

Status Head::status() const {
  Status status;
  for (const auto& [name, known] : workers_) {
    status.nodes += known.lost || known.count < 0 ? 0 : 1;
  }
  status.running = count(Pending::At::claimed);
  status.queued = units_.size() - status.running;
  return status;
}

void Head::tell() {
  const Status now = status();
  if (listener_ && now.text() != told_) {
    told_ = now.text();
    listener_(now);
  }
}

HeadCounts Head::counts() const {
  return {slurm_.calls(), spool_.filesWritten(), unitCount_, givenBack_};
}

void Head::cancel() {
  open_ = false;
  static_cast<void>(slurm_.cancelAll());
}

Result<void> Head::close() {
  open_ = false;
  HONE_CHECK(spool_.beatHead(++beats_, true));
  HONE_CHECK(slurm_.cancelAll());
  spool_.remove();
  return {};
}

}  // namespace hone::cluster
