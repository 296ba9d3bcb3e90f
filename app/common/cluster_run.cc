#include "app/common/cluster_run.h"

#include <cstdlib>

#include "base/clock.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "cluster/records.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The run's record is not written more often than this.
constexpr std::int64_t kNoteNs = 2'000'000'000;

/// Code for the CPU itself runs only on CPUs of its kind.
fs::path artifactsIn(const fs::path& shared, const std::string& target) {
  const fs::path all = shared / "artifacts";
  return target == "local" ? all / hashOf(cpuName()).substr(0, 16) : all / "any";
}

Result<void> note(store::Store& store, std::int64_t run, const std::string& text,
                  const std::optional<model::ClusterCost>& cost = std::nullopt) {
  model::RunDetails details = HONE_TRY(store.run(run)).value_or(store::Run{}).details;
  details.cluster = text;
  details.clusterCost = cost ? cost : details.clusterCost;
  return store.setDetails(run, details);
}

}  // namespace

ToolchainOptions headToolchain(ToolchainOptions options, const cluster::Options& cluster) {
  if (cluster.usesCluster()) {
    options.elsewhere = true;
    options.artifacts = artifactsIn(cluster.sharedFolder(), options.target);
  }
  return options;
}

json toolchainSetup(const Toolchain& toolchain, const ToolchainOptions& options) {
  return {{"iree", toolchain.installation.site.string()},
          {"target", options.target},
          {"device", toolchain.device->name},
          {"compile_seconds", options.compileSeconds},
          {"run_seconds", options.runSeconds}};
}

ToolchainOptions workerEngine(const json& setup) {
  const json& toolchain = setup.at("engine");
  ToolchainOptions options;
  options.target = toolchain.at("target");
  options.device = toolchain.at("device");
  options.compileSeconds = toolchain.at("compile_seconds");
  options.runSeconds = toolchain.at("run_seconds");
  options.artifacts = artifactsIn(setup.at("shared").get<std::string>(), options.target);
  // Slurm may give a job fewer CPUs than the system shows it.
  const char* cpus = std::getenv("SLURM_CPUS_ON_NODE");
  options.compilers = static_cast<std::size_t>(parseInt(cpus == nullptr ? "" : cpus).value_or(0));
  return options;
}

Result<std::unique_ptr<ClusterRun>> ClusterRun::open(const cluster::Options& options,
                                                     const Context& context, json setup,
                                                     store::Store& store, std::int64_t run,
                                                     Progress& progress) {
  const auto recorded = HONE_TRY(store.run(run));
  const std::string name = Hasher()
                               .field(recorded->key)
                               .field(fs::absolute(context.store).string())
                               .field(std::to_string(run))
                               .hex()
                               .substr(0, 16);
  setup["version"] = HONE_VERSION;
  auto head = HONE_TRY(cluster::Head::open(options, name, std::move(setup)));
  std::unique_ptr<ClusterRun> opened(
      new ClusterRun(std::move(head), options.sharedFolder() / "files", store, run, progress));
  opened->head_->onStatus(
      [raw = opened.get()](const cluster::Status& status) { raw->show(status); });
  opened->head_->onTrouble([&progress](const std::string& why) {
    progress.say(fmt::format("a worker cannot work: {}", why));
  });
  return opened;
}

ClusterRun::~ClusterRun() {
  if (closed_) {
    return;
  }
  try {
    static_cast<void>(note(store_, run_, ""));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then it stays as it is
  }
}

void ClusterRun::show(const cluster::Status& status) {
  const std::string text = status.text();
  if (text != shown_) {
    shown_ = text;
    progress_.step(text, 0);
  }
  if (text != noted_ && nowNs() - notedNs_ > kNoteNs) {
    notedNs_ = nowNs();
    noted_ = text;
    static_cast<void>(note(store_, run_, text));
  }
}

Result<void> ClusterRun::awaitWorker(const engine::Budget& budget) {
  if (!budget.time) {
    return {};
  }
  progress_.stage("waiting for a node", 0);
  return head_->awaitWorker();
}

Result<void> ClusterRun::keep(const cluster::Answer& answer) {
  auto records = HONE_TRY(cluster::recordsFrom(answer.result.at("records")));
  cluster::setNode(records, HONE_TRY(store_.addNode(answer.node)));
  HONE_CHECK(store_.merge(run_, records));
  return {};
}

Result<void> ClusterRun::keepFailed(const std::string& problem, const cluster::Answer& answer,
                                    const std::string& what) {
  store::Trial trial;
  trial.key = fmt::format("{}{} as a whole", what, problem);
  trial.problem = problem;
  trial.config.name = "as a whole";
  trial.outcome = model::Outcome::runFailed;
  trial.message = answer.error->message;
  HONE_CHECK(store_.merge(run_, std::vector{store::TrialRecord{trial, {}, 0}}));
  return {};
}

Result<void> ClusterRun::close() {
  HONE_CHECK(head_->close());
  closed_ = true;
  const cluster::HeadCounts counts = head_->counts();
  return note(store_, run_, fmt::format("{} units, done", counts.units),
              model::ClusterCost{.schedulerCalls = counts.schedulerCalls,
                                 .filesWritten = counts.filesWritten,
                                 .units = counts.units,
                                 .givenBack = counts.givenBack,
                                 .headCpuNs = ownCpuNs()});
}

Result<void> closed(const std::unique_ptr<ClusterRun>& cluster) {
  return cluster ? cluster->close() : Result<void>();
}

}  // namespace hone::app
