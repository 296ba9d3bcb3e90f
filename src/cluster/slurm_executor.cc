#include "cluster/slurm_executor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/json.h"
#include "cluster/spool/records.h"
#include "engine/executor/unit_result.h"

namespace hone::cluster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Minimum interval of updates of the run's record.
constexpr std::int64_t kNoteNs = 2'000'000'000;

Result<void> note(const ExecutorRun& run, const std::string& text,
                  const std::optional<model::ClusterCost>& cost = std::nullopt) {
  model::RunDetails details = HONE_TRY(run.store.run(run.run)).value_or(store::Run{}).details;
  details.cluster = text;
  details.clusterCost = cost ? cost : details.clusterCost;
  return run.store.setDetails(run.run, details);
}

}  // namespace

std::string unitKey(std::string_view kind, const json& order) {
  return Hasher().field(kind).field(jsonText(order)).hex().substr(0, 32);
}

Result<std::unique_ptr<SlurmExecutor>> SlurmExecutor::open(const Options& options,
                                                           WorkerSetup setup,
                                                           const ExecutorRun& run) {
  const auto recorded = HONE_TRY(run.store.run(run.run));
  const std::string name = Hasher()
                               .field(recorded->key)
                               .field(fs::absolute(run.storeFile).string())
                               .field(std::to_string(run.run))
                               .hex()
                               .substr(0, 16);
  auto head = HONE_TRY(Head::open(options, name, std::move(setup)));
  std::unique_ptr<SlurmExecutor> opened(
      new SlurmExecutor(std::move(head), options.sharedFolder() / "files", run));
  opened->head_->onStatus([raw = opened.get()](const Status& status) { raw->show(status); });
  opened->head_->onWorkerFailure([&progress = run.progress](const std::string& why) {
    progress.say(fmt::format("a worker failed: {}", why));
  });
  return opened;
}

SlurmExecutor::~SlurmExecutor() {
  if (closed_) {
    return;
  }
  try {
    static_cast<void>(note(run_, ""));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): best effort
  }
}

void SlurmExecutor::show(const Status& status) {
  const std::string text = status.text();
  if (text != shown_) {
    shown_ = text;
    run_.progress.step(text, 0);
  }
  if (text != noted_ && nowNs() - notedNs_ > kNoteNs) {
    notedNs_ = nowNs();
    noted_ = text;
    static_cast<void>(note(run_, text));
  }
}

Result<engine::Ticket> SlurmExecutor::submit(std::unique_ptr<engine::Unit> unit) {
  QueuedUnit queued;
  queued.kind = unit->kind();
  queued.order = HONE_TRY(unit->order(files_));
  queued.key = unitKey(queued.kind, queued.order);
  // Not part of the key: a restarted head has less time left for the same work.
  if (const auto left = unit->timeLeft()) {
    queued.order["milliseconds"] = left->count();
  }
  engine::Ticket ticket = queued.key;
  HONE_CHECK(head_->enqueue(std::move(queued)));
  return ticket;
}

Result<std::size_t> SlurmExecutor::wait(std::span<const engine::Ticket> tickets) {
  const std::string key = HONE_TRY(head_->awaitAny(tickets));
  return static_cast<std::size_t>(std::ranges::find(tickets, key) - tickets.begin());
}

Result<engine::UnitResult> SlurmExecutor::result(const engine::Ticket& ticket) {
  Answer answer = HONE_TRY(head_->await(ticket));
  engine::UnitResult result;
  result.remote = true;
  result.error = std::move(answer.error);
  result.killed = answer.killed;
  if (result.error) {
    return result;
  }
  try {
    result.value = std::move(answer.result.at("value"));
    result.records = HONE_TRY(recordsFrom(answer.result.at("records")));
  } catch (const json::exception& exception) {
    return machineError("invalid answer of a worker: {}", exception.what());
  }
  setNode(result.records, HONE_TRY(run_.store.addNode(answer.node)));
  return result;
}

Result<void> SlurmExecutor::awaitReady() {
  run_.progress.stage("waiting for a node", 0);
  return head_->awaitWorker();
}

Result<void> SlurmExecutor::close() {
  HONE_CHECK(head_->close());
  closed_ = true;
  const HeadCounts counts = head_->counts();
  return note(run_, fmt::format("{} units, done", counts.units),
              model::ClusterCost{.schedulerCalls = counts.schedulerCalls,
                                 .filesWritten = counts.filesWritten,
                                 .units = counts.units,
                                 .requeued = counts.requeued,
                                 .headCpuNs = ownCpuNs()});
}

}  // namespace hone::cluster
