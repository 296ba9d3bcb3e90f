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

constexpr std::int64_t kHeartbeatNs = 5 * kSecondNs;
constexpr std::int64_t kPlacesNs = kSecondNs;
constexpr std::int64_t kWorkersNs = 3 * kSecondNs;
constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kMaxPause{200};
/// Retries of cancelling jobs at the end of a run if the scheduler does not respond.
constexpr int kMaxCancels = 20;
constexpr std::chrono::milliseconds kCancelPause{5000};
/// Fewer retries if the user waits for the command to end.
constexpr int kMaxLastCancels = 3;
constexpr std::chrono::milliseconds kLastPause{2000};
/// Intervals up to this are not considered a delay of the head.
constexpr std::int64_t kLateNs = kSecondNs;
/// Fewer workers that cannot start may be coincidence.
constexpr std::size_t kMinBadWorkers = 3;

/// Fails if the scheduler does not respond before anything is submitted. A run with a spool
/// continues, because its workers may still be alive.
Result<void> checkScheduler(Slurm& slurm, const std::filesystem::path& spool) {
  std::error_code ignored;
  if (std::filesystem::exists(spool, ignored)) {
    return {};
  }
  const auto listed = slurm.jobs();
  if (listed || listed.error().fault == Fault::interrupted) {
    return listed ? Result<void>() : std::unexpected(listed.error());
  }
  return machineError("Slurm does not respond: {}; try again later, or omit --executor",
                      listed.error().message);
}

}  // namespace

std::string Status::text() const {
  return fmt::format("{} node{}, {} running, {} queued{}", nodes, nodes == 1 ? "" : "s", running,
                     queued, isSilent ? ", Slurm does not respond" : "");
}

Result<std::unique_ptr<Head>> Head::open(const Options& options, const std::string& name,
                                         WorkerSetup setup) {
  HONE_CHECK(Slurm::check());
  if (options.nodes == 0) {
    return userError("--nodes: expected at least 1");
  }
  setup.idleSeconds = options.idleSeconds;
  setup.headSeconds = options.headSeconds;
  setup.shared = options.sharedFolder();
  const std::filesystem::path folder = options.sharedFolder() / "runs" / name;
  Slurm slurm(fmt::format("hone-{}", name));
  HONE_CHECK(checkScheduler(slurm, folder));
  auto spool = HONE_TRY(Spool::create(folder, setup));
  std::unique_ptr<Head> head(new Head(options, std::move(spool), std::move(slurm)));
  // The `finished` flag of an earlier head must not end the workers of this one.
  head->heartbeats_ = head->spool_.headHeartbeat().count;
  HONE_CHECK(head->sendHeartbeat());
  const std::string program = HONE_TRY(ownProgram()).string();
  for (const bool onlyCompile : {false, true}) {
    std::vector<std::string> worker = {program, "worker", head->spool_.folder().string()};
    if (onlyCompile) {
      worker.emplace_back("--only-compile");
    }
    HONE_CHECK(writeFile(head->spool_.folder() / (onlyCompile ? "compile.sh" : "measure.sh"),
                         fmt::format("#!/bin/sh\nexec {}\n", store::commandLine(worker))));
  }
  for (const std::string& worker : head->spool_.workers()) {
    head->spool_.leave(worker);  // live workers write it again
  }
  HONE_CHECK(head->readJobs());  // ended workers no longer hold their units
  head->units_.inherit();
  return head;
}

// NOLINTNEXTLINE(bugprone-exception-escape): throws only if memory is exhausted
Head::~Head() {
  if (open_) {
    leave();
  }
}

void Head::leave() {
  const InterruptGuard held;
  // Ends also those workers whose job cannot be cancelled.
  static_cast<void>(spool_.writeHeadHeartbeat(++heartbeats_, true));
  for (int tries = 1; !jobs_.cancelAll(); ++tries) {
    if (tries == kMaxLastCancels) {
      fmt::print(stderr, "hone: cannot cancel the jobs of this run; use scancel --name={}\n",
                 jobs_.name());
      return;
    }
    std::this_thread::sleep_for(kLastPause);
  }
}

Result<void> Head::sendHeartbeat() {
  heartbeatNs_ = nowNs();
  return spool_.writeHeadHeartbeat(++heartbeats_, false);
}

bool Head::collectAnswers() {
  auto answers = spool_.takeAnswers();
  for (Answer& answer : answers) {
    workers_.noteAnswer(answer);
    units_.accept(std::move(answer));
  }
  return !answers.empty();
}

Result<void> Head::enqueue(QueuedUnit unit) {
  units_.enqueue(std::move(unit));
  return {};
}

Result<void> Head::noteFailedStart(const std::string& worker, const std::string& why) {
  return workers_.noteFailedStart(worker) ? noteFailedWorker(worker, why) : Result<void>();
}

Result<void> Head::noteFailedWorker(const std::string& worker, const std::string& why) {
  if (onWorkerFailure_ && why != lastFailure_) {
    lastFailure_ = why;
    onWorkerFailure_(why);
  }
  // All workers requested at a time may have got bad nodes; a claimed unit shows that others can
  // work.
  if (workers_.failures() < std::max(kMinBadWorkers, maxWanted_) ||
      units_.count(UnitQueue::State::claimed) > 0) {
    return {};
  }
  return machineError("workers cannot start or continue; last failure, of {}: {}; see {}", worker,
                      why, (spool_.folder() / "logs").string());
}

Result<void> Head::readDeaths() {
  const std::vector<WorkerDeath> deaths = spool_.takeDeaths();
  collectAnswers();  // a worker that died after its answer has finished its unit
  for (const WorkerDeath& death : deaths) {
    units_.noteFailedNode(death);
    if (!death.key.empty()) {
      workers_.noteDeath(death.worker);
    }
    if (!death.key.empty() && !death.machineFailed) {
      units_.handleDeath(death.key, death.worker, death.why);
    } else if (death.why != kOtherNodeKind) {
      units_.handleMachineFailure(death);
      workers_.noteFailure(death.worker, death.node);
      HONE_CHECK(noteFailedWorker(death.worker, death.why));
    } else if (jobs_.onlyCompiles(death.worker)) {
      ++otherCompileNodes_;
    } else {
      ++otherNodes_;
      HONE_CHECK(noteFailedStart(death.worker, fmt::format("its node is {}", kOtherNodeKind)));
    }
  }
  return {};
}

void Head::extendDeadlines() {
  const std::int64_t now = nowNs();
  const std::int64_t gapNs = awakeNs_ == 0 ? 0 : now - awakeNs_;
  awakeNs_ = now;
  if (gapNs < std::max(kLateNs, static_cast<std::int64_t>(options_.lostSeconds * 1e9) / 4)) {
    return;
  }
  workers_.extendDeadlines(now, gapNs);
  units_.extendDeadlines(now, gapNs);
}

void Head::locateUnits() {
  const UnitQueue::Places places = units_.listPlaces();
  workers_.noteClaims(places.claims);
  collectAnswers();
  extendDeadlines();
  units_.applyPlaces(places, lostNs());
}

Result<void> Head::loseSilentWorker(const std::string& worker) {
  units_.releaseWorker(worker, true, "no heartbeat from its worker");
  jobs_.listSoon();  // a replacement may be needed
  if (!jobs_.isAlive(worker)) {
    return {};
  }
  static_cast<void>(jobs_.cancel(worker));  // it still occupies its node
  return noteFailedStart(worker, "no heartbeat");
}

Result<void> Head::readWorkers() {
  const std::vector<std::string> listed = spool_.workers();
  const std::vector<Claim> claims = spool_.claims();
  workers_.noteClaims(claims);
  for (const std::string& name : listed) {
    if (!workers_.isLost(name)) {
      workers_.noteHeartbeat(name, spool_.readHeartbeat(name).count);
    }
  }
  extendDeadlines();
  const WorkerHealth::Review review = workers_.review(listed, claims, lostNs());
  for (const std::string& worker : review.reclaims) {
    units_.releaseWorker(worker, false, "");
  }
  if (review.anyLeft) {
    jobs_.listSoon();  // a replacement may be needed
  }
  for (const std::string& worker : review.silent) {
    HONE_CHECK(loseSilentWorker(worker));
  }
  return {};
}

Result<void> Head::readJobs() {
  for (const Job& job : HONE_TRY(jobs_.list())) {
    HONE_CHECK(jobEnded(job));
  }
  if (jobs_.isSilent()) {
    return {};
  }
  for (const Job& job : jobs_.jobs()) {
    if (job.state == "RUNNING") {
      workers_.expect(job.id);
    }
  }
  for (const std::string& worker : jobs_.takeUnlisted()) {
    HONE_CHECK(noteFailedStart(worker, "the scheduler does not list its job"));
  }
  return {};
}

Result<void> Head::jobEnded(const Job& job) {
  const std::string why = fmt::format("its worker's job ended as {}", job.state);
  units_.releaseWorker(job.id, !job.wasCancelled() && !job.timedOut(), why);
  workers_.markLost(job.id);
  if (job.timedOut()) {
    // Its worker may have requeued the unit in time, but the next job will not be longer.
    units_.countDeath(workers_.lastUnit(job.id), job.id,
                      fmt::format("{}; use sbatch-args to raise the time limit", why));
  }
  const bool well = job.wasCancelled() || job.state == "COMPLETED";
  return well || !jobs_.isOwn(job.id)
             ? Result<void>()
             : noteFailedStart(job.id, fmt::format("its job ended as {}", job.state));
}

Result<void> Head::startWorkers() {
  const std::size_t open = std::max<std::size_t>(
      units_.size() - units_.count(UnitQueue::State::compiling), wantsWorker_ ? 1 : 0);
  if (open == 0 || !jobs_.maySubmit()) {
    return {};
  }
  const JobCounts jobs =
      jobs_.count([this](const std::string& worker) { return workers_.isLost(worker); });
  // If there are several kinds of nodes, do not request nodes of other kinds again.
  const std::size_t nodes =
      std::max<std::size_t>(1, options_.nodes - std::min(options_.nodes, otherNodes_));
  const std::size_t compileNodes =
      options_.compileNodes - std::min(options_.compileNodes, otherCompileNodes_);
  const std::size_t wanted = std::min(nodes, open);
  const std::size_t wantedToCompile = std::min(compileNodes, units_.countCompiles());
  maxWanted_ = std::max(maxWanted_, wanted + wantedToCompile);
  Result<void> submitted;
  if (jobs.measuring < wanted) {
    submitted = jobs_.submit(wanted - jobs.measuring, false, workers_.badNodes());
  }
  if (submitted && jobs.compiling < wantedToCompile) {
    submitted = jobs_.submit(wantedToCompile - jobs.compiling, true, workers_.badNodes());
  }
  if (!submitted && submitted.error().fault == Fault::interrupted) {
    return submitted;
  }
  if (!submitted) {
    workers_.forgetBadNodes();  // there may be no other nodes
  }
  return jobs_.noteSubmission(submitted.has_value(), jobs.measuring > 0) ? Result<void>()
                                                                         : submitted;
}

Result<bool> Head::poll() {
  if (interrupted()) {
    return interruptedError();
  }
  extendDeadlines();
  const bool came = collectAnswers();
  if (nowNs() - heartbeatNs_ > kHeartbeatNs) {
    HONE_CHECK(sendHeartbeat());
  }
  if (nowNs() - placesNs_ > kPlacesNs) {
    placesNs_ = nowNs();
    HONE_CHECK(readDeaths());
    locateUnits();
    if (listener_) {
      listener_(status());
    }
  }
  if (nowNs() - workersNs_ > kWorkersNs) {
    workersNs_ = nowNs();
    HONE_CHECK(readWorkers());
  }
  HONE_CHECK(units_.fill(window()));
  if (jobs_.isDue()) {
    HONE_CHECK(readDeaths());  // a worker's report is more precise than its job state
    HONE_CHECK(readJobs());
  }
  HONE_CHECK(startWorkers());
  return came;
}

Result<std::string> Head::awaitAny(std::span<const std::string> keys) {
  std::chrono::milliseconds pause = kFirstPause;
  while (true) {
    for (const std::string& key : keys) {
      if (units_.isAnswered(key)) {
        return key;
      }
    }
    pause = HONE_TRY(poll()) ? kFirstPause : std::min(2 * pause, kMaxPause);
    if (pause > kFirstPause) {
      std::this_thread::sleep_for(pause);
    }
  }
}

Result<void> Head::awaitWorker() {
  wantsWorker_ = true;
  while (status().nodes == 0) {
    HONE_CHECK(poll());
    std::this_thread::sleep_for(kMaxPause);
  }
  wantsWorker_ = false;
  return {};
}

Result<Answer> Head::await(const std::string& key) {
  HONE_CHECK(awaitAny(std::span(&key, 1)));
  return take(key);
}

Status Head::status() const {
  Status status;
  status.nodes = workers_.alive();
  status.running = units_.count(UnitQueue::State::claimed);
  status.queued = units_.size() - status.running;
  status.isSilent = jobs_.isSilent();
  return status;
}

HeadCounts Head::counts() const {
  return {jobs_.schedulerCalls(), spool_.filesWritten(), units_.added(), units_.requeued()};
}

Result<void> Head::cancelWithRetries() {
  for (int tries = 1;; ++tries) {
    auto cancelled = jobs_.cancelAll();
    if (cancelled || interrupted() || tries == kMaxCancels) {
      return cancelled;
    }
    for (auto waited = std::chrono::milliseconds(0); waited < kCancelPause && !interrupted();
         waited += kMaxPause) {
      std::this_thread::sleep_for(kMaxPause);
    }
  }
}

Result<void> Head::close() {
  HONE_CHECK(spool_.writeHeadHeartbeat(++heartbeats_, true));
  HONE_CHECK(cancelWithRetries());
  open_ = false;
  spool_.remove();
  return {};
}

}  // namespace hone::cluster
