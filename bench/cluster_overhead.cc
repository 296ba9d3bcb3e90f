// Measures the overhead and the gain of a cluster: Slurm with two nodes on this machine. Compares
// the time per trial of a split sweep locally, on one node and on two. Also measures the head's
// cost of 5,000 trials with workers that return recorded results.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/process/subprocess.h"
#include "cluster/head.h"
#include "cluster/spool/records.h"
#include "cluster/this_node.h"
#include "cluster/worker.h"
#include "support.h"

namespace hone::bench {
namespace {

using nlohmann::json;

/// A private Slurm cluster, stopped on destruction.
class PrivateSlurm {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PrivateSlurm>> start() {
    ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-slurm"));
    std::unique_ptr<PrivateSlurm> slurm(new PrivateSlurm(std::move(folder)));
    HONE_CHECK(slurm->script("start"));
    ::setenv("SLURM_CONF", (slurm->folder_.path() / "slurm.conf").c_str(), 1);
    return slurm;
  }
  PrivateSlurm(const PrivateSlurm&) = delete;
  PrivateSlurm& operator=(const PrivateSlurm&) = delete;
  ~PrivateSlurm() { static_cast<void>(script("stop")); }

 private:
  explicit PrivateSlurm(ScratchFolder folder) : folder_(std::move(folder)) {}
  [[nodiscard]] Result<void> script(const char* verb) const {
    // Output is not captured: the daemons would keep the pipes open.
    const std::string command = fmt::format("{} {} {} > /dev/null 2>&1", HONE_CLUSTER_SCRIPT, verb,
                                            folder_.path().string());
    // NOLINTNEXTLINE(bugprone-command-processor)
    return std::system(command.c_str()) == 0 ? Result<void>() : machineError("{} failed", command);
  }
  ScratchFolder folder_;
};

struct Sweep {
  double seconds = 0;
  std::int64_t trials = 0;
};

/// Runs a sweep of small shapes with hone, with a separate store and cache.
Result<Sweep> sweep(std::size_t shapes, const std::vector<std::string>& more) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-bench"));
  std::string lines;
  for (std::size_t i = 0; i < shapes; ++i) {
    lines += fmt::format("gemm -m {} -n 32 -k {}\n", 16 + 8 * (i % 4), 4096 * (1 + i));
  }
  HONE_CHECK(writeFile(folder.path() / "shapes.txt", lines));
  Command command;
  command.argv = {HONE_TRY(honeProgram()),
                  "--store",
                  folder.path() / "hone.db",
                  "--json",
                  "split",
                  "quick",
                  folder.path() / "shapes.txt",
                  "--results",
                  folder.path() / "results",
                  "--device",
                  "local-sync",
                  "--limits",
                  "1,16,64,256"};
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  command.environment = {{"XDG_CACHE_HOME", (folder.path() / "cache").string()},
                         {"XDG_DATA_HOME", (folder.path() / "data").string()}};
  const std::int64_t startNs = nowNs();
  const Finished finished = HONE_TRY(runCommand(command));
  Sweep done{static_cast<double>(nowNs() - startNs) / 1e9, 0};
  if (!finished.ending.ok() && finished.ending.code != 1) {
    return machineError("hone split ended with {}: {}", finished.ending.describe(), finished.err);
  }
  const auto store =
      HONE_TRY(store::Store::open(folder.path() / "hone.db", store::Store::Mode::read));
  done.trials = static_cast<std::int64_t>(HONE_TRY(store.listTrials(1)).size());
  return done;
}

Result<void> compareSweeps(bool quick) {
  const std::size_t shapes = quick ? 4 : 16;
  const Sweep here = HONE_TRY(sweep(shapes, {}));
  fmt::print("local:     {} trials, {:.1f} s, {:.0f} trials per minute\n", here.trials,
             here.seconds, 60 * static_cast<double>(here.trials) / here.seconds);
  for (const int nodes : {1, 2}) {
    const Sweep there =
        HONE_TRY(sweep(shapes, {"--executor", "slurm", "--nodes", std::to_string(nodes)}));
    const auto trials = static_cast<double>(there.trials);
    fmt::print("{} node{}:   {} trials, {:.1f} s, {:.0f} trials per minute, {:+.0f} ms per trial\n",
               nodes, nodes == 1 ? " " : "s", there.trials, there.seconds,
               60 * trials / there.seconds,
               1000 * (there.seconds / trials - here.seconds / static_cast<double>(here.trials)));
  }
  return {};
}

/// Returns trials as recorded by a worker: a config, and the samples of three stages.
std::vector<store::TrialRecord> recordedTrials(std::int64_t first, std::int64_t count) {
  std::vector<store::TrialRecord> records;
  for (std::int64_t i = first; i < first + count; ++i) {
    store::TrialRecord record;
    record.trial.key = fmt::format("trial {}", i);
    record.trial.problem = "matmul_512x768x1024_f32";
    record.trial.config = tileConfigs(8)[static_cast<std::size_t>(i) % 8];
    record.trial.details.passed = true;
    record.trial.details.screenNs = 1e6;
    record.trial.details.verified = "reference";
    for (std::int64_t repetition = 0; repetition < 3; ++repetition) {
      record.samples.push_back({model::Stage::screen, 0, 0, repetition, 1.1e6, 1.0e6, 2});
      record.samples.push_back({model::Stage::race, repetition, 1, 0, 1.1e6, 1.0e6, 2});
      record.samples.push_back({model::Stage::final, repetition, 2, 0, 1.1e6, 1.0e6, 2});
    }
    records.push_back(std::move(record));
  }
  return records;
}

/// Returns recorded trials at once, so that only the cost of distribution and collection remains.
class ReplayPerformer : public cluster::UnitPerformer {
 public:
  [[nodiscard]] Result<json> perform(const cluster::QueuedUnit& unit) override {
    return json{{"records",
                 cluster::toJson(recordedTrials(unit.order.at("first"), unit.order.at("count")))}};
  }
  [[nodiscard]] store::Node node() const override { return cluster::cpuNode(); }
  [[nodiscard]] bool compilesForHost() const override { return false; }
};

Result<void> replayTrials(bool quick) {
  constexpr std::int64_t kUnit = 16;  // trials per unit
  const std::int64_t trials = quick ? 500 : 5000;
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-bench"));
  auto store = HONE_TRY(store::Store::open(folder.path() / "hone.db", store::Store::Mode::write));
  const std::int64_t run = HONE_TRY(store.addRun({}));
  cluster::Options options;
  options.executor = "slurm";
  options.nodes = 2;
  options.shared = folder.path() / "shared";
  const std::int64_t cpuBefore = ownCpuNs();
  const std::int64_t startNs = nowNs();
  const auto head = HONE_TRY(cluster::Head::open(options, "replay", {}));
  std::vector<std::string> keys;
  for (std::int64_t first = 0; first < trials; first += kUnit) {
    cluster::QueuedUnit unit;
    unit.key = fmt::format("{:08x}", first);
    unit.kind = "replay";
    unit.order = {{"first", first}, {"count", std::min(kUnit, trials - first)}};
    keys.push_back(unit.key);
    HONE_CHECK(head->enqueue(std::move(unit)));
  }
  std::int64_t firstAnswerNs = 0;
  for (const std::string& key : keys) {
    const cluster::Answer answer = HONE_TRY(head->await(key));
    firstAnswerNs = firstAnswerNs == 0 ? nowNs() : firstAnswerNs;
    auto records = HONE_TRY(cluster::recordsFrom(answer.result.at("records")));
    cluster::setNode(records, HONE_TRY(store.addNode(answer.node)));
    HONE_CHECK(store.merge(run, records));
  }
  const std::int64_t endNs = nowNs();
  HONE_CHECK(head->close());
  const cluster::HeadCounts counts = head->counts();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; };
  fmt::print("replayed:  {} trials in {} units on 2 nodes: {:.1f} s, first answer after {:.1f} s\n",
             trials, counts.units, seconds(endNs - startNs), seconds(firstAnswerNs - startNs));
  fmt::print("           head: {:.2f} s CPU ({:.0f} us a trial), {:.0f} MB\n",
             seconds(ownCpuNs() - cpuBefore),
             1e6 * seconds(ownCpuNs() - cpuBefore) / static_cast<double>(trials),
             static_cast<double>(usage.ru_maxrss) / 1024);
  fmt::print("           files: {} written by the head, {} answers; {} scheduler calls\n",
             counts.filesWritten, counts.units, counts.schedulerCalls);
  return {};
}

Result<void> measure(const Options& options) {
  if (findProgram("sbatch").empty()) {
    fmt::print("skipped: no Slurm found; run scripts/setup --slurm to install it\n");
    return {};
  }
  const auto slurm = HONE_TRY(PrivateSlurm::start());
  HONE_CHECK(replayTrials(options.quick));
  return compareSweeps(options.quick);
}

int work(const char* folder) {
  catchInterrupts();
  auto spool = cluster::Spool::open(folder);
  const auto make =
      [](const cluster::WorkerSetup&) -> Result<std::unique_ptr<cluster::UnitPerformer>> {
    return std::make_unique<ReplayPerformer>();
  };
  const cluster::WorkerOptions options{cluster::workerName(), false, cluster::nodeName()};
  return spool && cluster::serve(std::move(*spool), options, make) ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == "worker") {  // started by the jobs
    return hone::bench::work(argv[2]);
  }
  return hone::bench::runMain("cluster overhead", argc, argv, hone::bench::measure);
}
