#include "cluster/head.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/process/interrupt.h"

namespace hone::cluster {
namespace {

constexpr std::int64_t kBeatNs = 5 * kSecondNs;
constexpr std::int64_t kPlacesNs = kSecondNs;
constexpr std::int64_t kWorkersNs = 3 * kSecondNs;
constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kLongestPause{200};
/// A scheduler that does not answer at the end of a run is asked again.
constexpr int kMostCancels = 20;
constexpr std::chrono::milliseconds kCancelPause{5000};
/// Fewer times where somebody waits for the end of the command.
constexpr int kLastCancels = 3;
constexpr std::chrono::milliseconds kLastPause{2000};
constexpr std::string_view kCompileSuffix = "c";

/// The unit that compiles what another will measure.
QueuedUnit compileUnit(const QueuedUnit& unit) {
  QueuedUnit compile = unit;
  compile.key = fmt::format("{}{}", unit.key, kCompileSuffix);
  compile.onlyCompile = true;
  compile.deaths = compile.failures = 0;
  compile.nodes.clear();
  return compile;
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
    std::vector<std::string> worker = {program, "worker", head->spool_.folder().string()};
    if (onlyCompile) {
      worker.emplace_back("--only-compile");
    }
    HONE_CHECK(writeFile(head->spool_.folder() / (onlyCompile ? "compile.sh" : "measure.sh"),
                         fmt::format("#!/bin/sh\nexec {}\n", store::commandLine(worker))));
  }
  for (const std::string& array : head->spool_.compileArrays()) {
    head->compileArrays_.insert(array);
  }
  for (const std::string& worker : head->spool_.workers()) {
    head->spool_.leave(worker);  // who lives shows it again
  }
  HONE_CHECK(head->readJobs());  // what ended workers have is not there any more
  for (const std::string& key : head->spool_.queuedKeys()) {
    head->inherited_.insert(key);
  }
  for (const Claim& claim : head->spool_.claims()) {
    head->inherited_.insert(claim.key());
  }
  return head;
}

Head::~Head() {
  if (open_) {
    leave();
  }
}

void Head::leave() {
  const InterruptsHeld held;
  // Also those workers go whose job cannot be cancelled.
  static_cast<void>(spool_.beatHead(++beats_, true));
  for (int tries = 1; !slurm_.cancelAll(); ++tries) {
    if (tries == kLastCancels) {
      fmt::print(stderr,
                 "hone: the scheduler cancels no jobs now; cancel those of this run by "
                 "scancel --name={}\n",
                 slurm_.name());
      return;
    }
    std::this_thread::sleep_for(kLastPause);
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

Result<void> Head::handOut(QueuedUnit unit) {
  const std::string key = unit.key;
  if (units_.contains(key) || answers_.contains(key)) {
    return {};
  }
  spool_.recallFailures(unit);
  ++unitCount_;
  if (auto done = spool_.doneAnswer(key)) {
    answers_.emplace(key, std::move(*done));
    return {};
  }
  QueuedUnit compile = compileUnit(unit);
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
    badOn_.erase(answer.node.name);
    begun_.insert(answer.worker);
    hands_.erase(answer.worker);
    inherited_.erase(answer.key);
    settle(std::move(answer));
  }
  return !answers.empty();
}

Result<bool> Head::look() {
  if (interrupted()) {
    return interruptedError();
  }
  forgiveDelay();
  const bool came = gather();
  if (nowNs() - beatNs_ > kBeatNs) {
    HONE_CHECK(beat());
  }
  if (nowNs() - placesNs_ > kPlacesNs) {
    placesNs_ = nowNs();
    HONE_CHECK(readDeaths());
    readPlaces();
    if (listener_) {
      listener_(status());
    }
  }
  if (nowNs() - workersNs_ > kWorkersNs) {
    workersNs_ = nowNs();
    HONE_CHECK(readWorkers());
  }
  HONE_CHECK(feed());
  if (nowNs() - jobsNs_ > jobsPauseNs_) {
    HONE_CHECK(readDeaths());  // a worker says better why it ended than its job does
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

Result<void> Head::awaitWorker() {
  wantsWorker_ = true;
  while (status().nodes == 0) {
    HONE_CHECK(look());
    std::this_thread::sleep_for(kLongestPause);
  }
  wantsWorker_ = false;
  return {};
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

HeadCounts Head::counts() const {
  return {slurm_.calls(), spool_.filesWritten(), unitCount_, givenBack_};
}

Result<void> Head::cancelPatiently() {
  for (int tries = 1;; ++tries) {
    auto cancelled = slurm_.cancelAll();
    if (cancelled || interrupted() || tries == kMostCancels) {
      return cancelled;
    }
    for (auto waited = std::chrono::milliseconds(0); waited < kCancelPause && !interrupted();
         waited += kLongestPause) {
      std::this_thread::sleep_for(kLongestPause);
    }
  }
}

Result<void> Head::close() {
  HONE_CHECK(spool_.beatHead(++beats_, true));
  HONE_CHECK(cancelPatiently());
  open_ = false;
  spool_.remove();
  return {};
}

}  // namespace hone::cluster
