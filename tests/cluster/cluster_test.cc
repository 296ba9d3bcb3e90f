// End-to-end tests of cluster runs on a real Slurm with two nodes on this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/text/text.h"
#include "cluster/slurm_cluster.h"
#include "cluster/spool/spool.h"
#include "cluster/worker.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// Exit code 1 is valid, too: a ladder may slow down a shape.
testing::Matcher<int> isSwept() { return testing::AnyOf(0, 1); }

constexpr const char* kShapes =
    "gemm -m 32 -n 48 -k 20480\n"
    "gemm -m 16 -n 32 -k 8192\n"
    "gemm -m 48 -n 32 -k 12288\n"
    "conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 3 -x 3 -p 1 -q 1 -F 4\n"
    "gemm -m 24 -n 24 -k 16384\n";
constexpr int kShapeCount = 5;

class OnCluster : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    slurm_ = SlurmCluster::start(why);
    if (!slurm_) {
      GTEST_SKIP() << why;
    }
    slurm_->use(box_);
    for (const Sandbox* box : {&box_, &local_}) {
      box->write("shapes.txt", kShapes);
      box->write("matmul.mlir", matmulText(96, 128, 160));
    }
    useNodes(2, 0);
  }
  /// Keeps the logs of the jobs after the run.
  void useNodes(int nodes, int compileNodes) {
    fs::create_directories(logs());
    box_.write("hone.toml",
               fmt::format("[cluster]\nexecutor = \"slurm\"\nnodes = {}\ncompile-nodes = {}\n"
                           "partition = \"batch\"\nlost-seconds = 30\n"
                           "sbatch-args = [\"--output={}/%A_%a.log\"]\n",
                           nodes, compileNodes, logs().string()));
  }
  [[nodiscard]] fs::path logs() const { return box_.work() / "logs"; }
  /// Returns the number of units that workers have answered.
  [[nodiscard]] std::vector<std::string> answered() const {
    std::vector<std::string> keys;
    for (const auto& log : fs::directory_iterator(logs())) {
      for (const std::string& line : splitAt(readFile(log.path()).value_or(""), '\n')) {
        if (line.starts_with(cluster::kAnswered)) {
          keys.push_back(line);
        }
      }
    }
    return keys;
  }
  void expectNothingDoneTwice() const {
    std::set<std::string> keys;
    for (const std::string& key : answered()) {
      EXPECT_TRUE(keys.insert(key).second) << key;
    }
    EXPECT_FALSE(keys.empty());
  }
  /// While the command runs, kills a node with jobs, cancels a job and kills the command; then
  /// restarts the node.
  void meddle(Process& head) {
    const auto afterMore = [&](std::size_t answers) {
      const std::size_t before = answered().size();
      EXPECT_TRUE(
          eventually([&] { return head.ended() || answered().size() >= before + answers; }));
      ASSERT_FALSE(head.ended()) << "the run finished too early";
    };
    afterMore(1);
    slurm_->killNode("n1");
    afterMore(1);
    const auto running =
        slurm_->ask("squeue --noheader --array --states=RUNNING --nodelist=n2 --format=%i");
    const std::string job = running.substr(0, running.find('\n'));
    ASSERT_FALSE(job.empty());
    static_cast<void>(slurm_->ask("scancel " + job));
    afterMore(1);
    head.signal(SIGKILL);
    EXPECT_EQ(head.wait().code, 128 + SIGKILL);
    slurm_->startNode("n1");
  }

  static json exported(Sandbox& box) { return box.hone({"runs", "export", "1", "--json"}).json(); }

  /// Returns the trials by key, without validation, which depends on times.
  static std::map<std::string, std::string> sweptTrials(const json& run) {
    std::map<std::string, std::string> trials;
    for (const json& trial : run.at("trials")) {
      const auto key = trial.at("key").get<std::string>();
      if (!key.starts_with("validate")) {
        EXPECT_TRUE(trials.emplace(key, trial.at("config").at("name")).second) << key;
      }
    }
    return trials;
  }
  /// Expects that all samples of a round of a problem come from one node.
  static void expectRoundsOfOneNode(const json& run) {
    std::map<std::string, int> nodes;
    for (const json& trial : run.at("trials")) {
      const bool validated = trial.at("key").get<std::string>().starts_with("validate");
      for (const json& sample : trial.at("samples")) {
        const std::string round = fmt::format("{} {} {} {}", validated, trial.at("problem").dump(),
                                              sample.at("stage").dump(), sample.at("round").dump());
        const int node = sample.at("node");
        EXPECT_EQ(nodes.try_emplace(round, node).first->second, node) << round;
      }
    }
    EXPECT_FALSE(nodes.empty());
  }
  /// Expects every sample once, with its node.
  static void expectWholeSamples(const json& run) {
    std::set<std::string> names;
    for (const json& node : run.at("nodes")) {
      names.insert(node.at("name").get<std::string>());
    }
    EXPECT_THAT(names, testing::IsSubsetOf({"n1", "n2"}));
    EXPECT_FALSE(names.empty());
    for (const json& trial : run.at("trials")) {
      std::set<std::string> places;
      for (const json& sample : trial.at("samples")) {
        EXPECT_GT(sample.at("node").get<int>(), 0);
        EXPECT_TRUE(places
                        .insert(fmt::format("{} {} {} {}", sample.at("stage").dump(),
                                            sample.at("round").dump(), sample.at("position").dump(),
                                            sample.at("repetition").dump()))
                        .second);
      }
    }
  }
  void expectNoJobs() const {
    EXPECT_TRUE(eventually([&] { return slurm_->jobs().empty(); }));
  }

  std::unique_ptr<SlurmCluster> slurm_;
  Sandbox box_;
  Sandbox local_;
  const std::vector<std::string> split_ = {"split",    "quick",      "shapes.txt", "--type", "f32",
                                           "--device", "local-sync", "--limits",   "1,16,64"};
  const std::vector<std::string> tune_ = {"tune",         "matmul.mlir", "--budget",   "24trials",
                                          "--strategy",   "random",      "--rounds",   "10",
                                          "--keep-flags", "--device",    "local-sync", "--json"};
};

/// Returns the fastest limit of each shape.
std::map<std::string, std::string> winners(const json& shapes) {
  std::map<std::string, std::string> best;
  for (const json& shape : shapes) {
    double least = 0;
    for (const auto& [limit, timing] : shape.at("limits").items()) {
      const double mean = timing.at(0);
      if (least == 0 || mean < least) {
        least = mean;
        best[shape.at("arguments").get<std::string>()] = limit;
      }
    }
  }
  return best;
}

double findTime(const json& shapes, const std::string& arguments, const std::string& limit) {
  for (const json& shape : shapes) {
    if (shape.at("arguments") == arguments) {
      return shape.at("limits").at(limit).at(0);
    }
  }
  return 0;
}

/// Expects that winners differ only where the two are almost equal.
void expectEquivalentWinners(const json& remotely, const json& locally) {
  constexpr double kAsGood = 1.3;
  const json& shapes = remotely.at("summary").at("shapes");
  const auto best = winners(shapes);
  ASSERT_EQ(best.size(), std::size_t{kShapeCount});
  for (const auto& [arguments, limit] : winners(locally.at("summary").at("shapes"))) {
    EXPECT_LE(findTime(shapes, arguments, limit),
              kAsGood * findTime(shapes, arguments, best.at(arguments)))
        << arguments;
  }
}

TEST_F(OnCluster, SplitMatchesLocalTrialsAndWinners) {
  const CommandResult here = local_.hone(split_);
  ASSERT_THAT(here.code, isSwept()) << here.err << here.out;
  const CommandResult there = box_.hone(split_);
  ASSERT_THAT(there.code, isSwept()) << there.err << there.out;
  const json locally = exported(local_);
  const json remotely = exported(box_);
  EXPECT_EQ(sweptTrials(remotely), sweptTrials(locally));
  expectWholeSamples(remotely);
  expectRoundsOfOneNode(remotely);
  expectEquivalentWinners(remotely, locally);
  expectNothingDoneTwice();
  expectNoJobs();
  EXPECT_THAT(box_.hone({"runs", "show", "1"}).out, HasSubstr("cluster"));
}

TEST_F(OnCluster, DoesNotReuseLocalMeasurements) {
  std::vector<std::string> here = split_;
  here.insert(here.end(), {"--limit", "1", "--executor", "local"});
  ASSERT_THAT(box_.hone(here).code, isSwept());
  std::vector<std::string> there = split_;
  there.insert(there.end(), {"--limit", "1"});
  const CommandResult ran = box_.hone(there);
  ASSERT_THAT(ran.code, isSwept()) << ran.err << ran.out;
  const json run = box_.hone({"runs", "export", "2", "--json"}).json();
  EXPECT_FALSE(sweptTrials(run).empty());
  expectWholeSamples(run);
}

TEST_F(OnCluster, SplitSurvivesDeadNodesCancelledJobsAndKilledHead) {
  ASSERT_THAT(local_.hone(split_).code, isSwept());
  {
    Process head = box_.start(split_);
    ASSERT_NO_FATAL_FAILURE(meddle(head));
  }
  const CommandResult again = box_.hone(split_);
  ASSERT_THAT(again.code, isSwept()) << again.err << again.out;
  const json locally = exported(local_);
  const json remotely = exported(box_);
  EXPECT_EQ(remotely.at("status"), "finished");
  EXPECT_EQ(sweptTrials(remotely), sweptTrials(locally));
  expectWholeSamples(remotely);
  expectRoundsOfOneNode(remotely);
  expectEquivalentWinners(remotely, locally);
  expectNothingDoneTwice();
  EXPECT_EQ(box_.hone({"runs", "--json"}).json().at("runs").size(), 1U);
  expectNoJobs();
}

TEST_F(OnCluster, CancelsJobsOnInterruptAndResumes) {
  {
    Process head = box_.start(split_);
    ASSERT_TRUE(eventually([&] { return head.ended() || !slurm_->jobs().empty(); }));
    head.signal(SIGINT);
    EXPECT_EQ(head.wait().code, 130);
    expectNoJobs();
  }
  const CommandResult again = box_.hone(split_);
  ASSERT_THAT(again.code, isSwept()) << again.err;
  EXPECT_THAT(again.err, HasSubstr("resuming run 1"));
  expectNoJobs();
}

/// Returns the trials of the search with their configs by key. Leaves out the final comparison,
/// which depends on the winner.
std::map<std::string, std::string> searched(const json& run) {
  std::map<std::string, std::string> trials;
  for (const json& trial : run.at("trials")) {
    if (trial.at("details").contains("proposal")) {
      trials[trial.at("key")] = trial.at("config").dump();
    }
  }
  return trials;
}

/// Returns the lower bound of the dispatch's speedup; 1 without a winner.
double provenSpeedup(const CommandResult& ran) {
  const json dispatch = ran.json().at("programs").at(0).at("variants").at(0).at("dispatches").at(0);
  const bool hasWinner = dispatch.contains("winner") && !dispatch.at("winner").is_null();
  return hasWinner ? dispatch.at("winner").at("speedup").at("low").get<double>() : 1;
}

/// Expects that a clear gain in one run is also found in the other. Small gains are within noise,
/// so either verdict is correct.
void expectSameVerdict(const CommandResult& there, const CommandResult& here) {
  constexpr double kClearGain = 1.25;
  EXPECT_LT(std::max(provenSpeedup(there), provenSpeedup(here)) /
                std::min(provenSpeedup(there), provenSpeedup(here)),
            kClearGain);
}

TEST_F(OnCluster, TuneMatchesLocalTrialsAndVerdict) {
  const CommandResult here = local_.hone(tune_);
  ASSERT_EQ(here.code, 0) << here.err;
  const CommandResult there = box_.hone(tune_);
  ASSERT_EQ(there.code, 0) << there.err;
  const json locally = exported(local_);
  const json remotely = exported(box_);
  EXPECT_EQ(searched(locally).size(), 24U);
  EXPECT_EQ(searched(remotely), searched(locally));
  expectWholeSamples(remotely);
  expectSameVerdict(there, here);
  expectNothingDoneTwice();
  expectNoJobs();
}

TEST_F(OnCluster, TuneSurvivesDeadNodesCancelledJobsAndKilledHead) {
  const CommandResult here = local_.hone(tune_);
  ASSERT_EQ(here.code, 0) << here.err;
  {
    Process head = box_.start(tune_);
    ASSERT_NO_FATAL_FAILURE(meddle(head));
  }
  const CommandResult there = box_.hone(tune_);
  ASSERT_EQ(there.code, 0) << there.err;
  const json remotely = exported(box_);
  EXPECT_EQ(searched(remotely), searched(exported(local_)));
  expectWholeSamples(remotely);
  expectSameVerdict(there, here);
  expectNothingDoneTwice();
  EXPECT_EQ(box_.hone({"runs", "--json"}).json().at("runs").size(), 1U);
  expectNoJobs();
}

TEST_F(OnCluster, SharesCompiledModulesBetweenNodes) {
  useNodes(1, 1);
  const CommandResult ran = box_.hone(tune_);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json run = exported(box_);
  EXPECT_EQ(searched(run).size(), 24U);
  for (const json& trial : run.at("trials")) {
    if (trial.at("details").contains("proposal") && trial.at("outcome") == "ok") {
      EXPECT_EQ(trial.at("details").at("cached"), true) << trial.at("key");
    }
  }
  const auto keys = answered();
  EXPECT_TRUE(std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return std::find(keys.begin(), keys.end(), key + "c") != keys.end();
  })) << "compile-only units";
  expectNothingDoneTwice();
  expectWholeSamples(run);
  expectNoJobs();
}

TEST_F(OnCluster, ProfileMatchesLocalRows) {
  const std::vector<std::string> profile = {"profile", "--problem-m=32,64", "--problem-n=48",
                                            "--problem-k=64", "--json"};
  const auto countRows = [](const CommandResult& ran) {
    std::set<std::string> rows;
    for (const json& row : ran.json().at("rows")) {
      rows.insert(fmt::format("{} {} {}", row.at("dispatch").dump(), row.at("provider").dump(),
                              row.at("verification").dump()));
    }
    return rows;
  };
  const CommandResult here = local_.hone(profile);
  ASSERT_EQ(here.code, 0) << here.err;
  const CommandResult there = box_.hone(profile);
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_EQ(countRows(there), countRows(here));
  expectWholeSamples(exported(box_));
  expectNoJobs();
}

TEST_F(OnCluster, OptimizesKernelOnNode) {
  fs::create_directories(box_.work() / "kernels");
  for (const char* name : {"softmax.cc", "softmax.reference.cc"}) {
    fs::copy_file(sourceFolder() / "examples/kernels/cpp" / name, box_.work() / "kernels" / name);
  }
  const CommandResult ran =
      box_.hone({"kernel", "optimize", "--kernel", "kernels/softmax.cc", "--max-iterations", "1",
                 "--candidates", "2", "--rounds", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("stopped: "));
  EXPECT_FALSE(fs::is_empty(box_.work() / "results/multiturn_logs"));
  expectWholeSamples(exported(box_));
  expectError(box_.hone({"kernel", "optimize", "-k", "kernels/softmax.cc", "--model", "openai/o3"}),
              2, {"--proposer search"});
  expectError(box_.hone({"kernel", "optimize", "-k", "kernels/softmax.cc", "--budget", "much"}), 2,
              {"much"});
  expectNoJobs();
}

TEST_F(OnCluster, RejectsInvalidSettings) {
  box_.write("hone.toml", "[cluster]\nexecuter = \"slurm\"\n");
  expectError(box_.hone(split_), 2, {"hone.toml:2", "executor"});
  box_.write("hone.toml", "[cluster]\nexecutor = \"slurm\"\npartition = \"nowhere\"\n");
  expectError(box_.hone(split_), 3, {"sbatch", "partition"});
  expectError(box_.hone({"worker", "nowhere"}), 2, {"nowhere"});
  std::vector<std::string> rebuild = split_;
  rebuild.insert(rebuild.end(), {"--method", "rebuild", "--iree-source", ".", "--iree-build", ".",
                                 "--results", "elsewhere"});
  expectError(box_.hone(rebuild), 2, {"--executor"});
  EXPECT_FALSE(fs::exists(box_.work() / "elsewhere")) << "nothing is started";
  expectNoJobs();
}

TEST(NoCluster, WorkerRejectsDispatchesOfOtherCpu) {
  Sandbox box;
  const std::string version = box.hone({"--version"}).out;
  const cluster::WorkerSetup setup{.version = version.substr(0, version.find('\n')),
                                   .shared = box.work() / "shared",
                                   .cpu = "CPU of another kind",
                                   .idleSeconds = 1,
                                   .toolchain = cluster::WorkerToolchain{.iree = "",
                                                                         .target = "local",
                                                                         .device = "local-sync",
                                                                         .compileSeconds = 60,
                                                                         .runSeconds = 30}};
  auto spool = cluster::Spool::create(box.work() / "run", setup).value();
  EXPECT_EQ(box.hone({"worker", "run"}).code, 3);
  const auto deaths = spool.takeDeaths();
  ASSERT_EQ(deaths.size(), 1U);
  EXPECT_THAT(deaths.front().why, HasSubstr("extracted for a CPU of another kind"));
}

/// Installs a fake Slurm that accepts jobs but starts none; the test plays the workers.
void installFakeSlurm(Sandbox& box) {
  const fs::path programs = box.root() / "programs";
  fs::create_directories(programs);
  for (const auto& [name, text] :
       {std::pair("sbatch", "echo 1"), std::pair("squeue", "echo '1_1|RUNNING'"),
        std::pair("scancel", "true")}) {
    ASSERT_TRUE(writeFile(programs / name, fmt::format("#!/bin/sh\n{}\n", text)));
    fs::permissions(programs / name, fs::perms::owner_all);
  }
  box.setVariable("PATH", fmt::format("{}:{}", programs.string(), std::getenv("PATH")));
}

/// Takes the unit of the run and reports worker deaths until it is not retried.
void reportDeaths(const Sandbox& box) {
  const fs::path runs = box.cache() / "hone/cluster/runs";
  std::error_code code;
  ASSERT_TRUE(eventually([&] { return fs::exists(runs, code) && !fs::is_empty(runs, code); }));
  const fs::path folder = fs::directory_iterator(runs)->path();
  ASSERT_TRUE(eventually([&] { return cluster::Spool::open(folder).has_value(); }));
  auto spool = cluster::Spool::open(folder).value();
  for (const char* worker : {"1_1", "1_2", "1_3"}) {
    ASSERT_TRUE(eventually([&] { return spool.claim(worker, true).has_value(); }));
    ASSERT_TRUE(spool.reportDeath(worker, "killed by SIGSEGV"));
  }
}

void expectFailedTrial(Sandbox& box, const std::string& problem) {
  const json trials = box.hone({"runs", "export", "1", "--json"}).json().at("trials");
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].at("outcome"), "run_failed");
  EXPECT_THAT(trials[0].at("problem").get<std::string>(), HasSubstr(problem));
  EXPECT_THAT(trials[0].at("message").get<std::string>(), HasSubstr("3 workers died"));
}

TEST(NoCluster, RecordsTrialOfOperationThatKillsWorkers) {
  Sandbox box;
  installFakeSlurm(box);
  Process head = box.start(
      {"profile", "--problem-m=32", "--problem-n=48", "--problem-k=64", "--executor", "slurm"});
  reportDeaths(box);
  EXPECT_THAT(head.wait().out, HasSubstr("3 workers died"));
  expectFailedTrial(box, "32x48x64");
}

TEST(NoCluster, RecordsTrialOfKernelThatKillsWorkers) {
  Sandbox box;
  installFakeSlurm(box);
  for (const char* name : {"softmax.cc", "softmax.reference.cc"}) {
    fs::copy_file(sourceFolder() / "examples/kernels/cpp" / name, box.work() / name);
  }
  Process head = box.start({"kernel", "optimize", "--kernel", "softmax.cc", "--executor", "slurm"});
  reportDeaths(box);
  expectError(head.wait(), 2, {"3 workers died"});
  expectFailedTrial(box, "softmax.cc");
}

TEST(NoCluster, ReportsMissingSlurm) {
  Sandbox box;
  box.write("shapes.txt", kShapes);
  box.setVariable("PATH", "/nowhere");
  expectError(box.hone({"split", "quick", "shapes.txt", "--executor", "slurm"}), 2,
              {"no Slurm found"});
}

}  // namespace
}  // namespace hone::test
