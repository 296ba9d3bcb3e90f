// End-to-end tests of `hone split` on small shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "tests/cli/cli.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kShapes =
    "gemm -m 32 -n 48 -k 20480\n"
    "conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 3 -x 3 -p 1 -q 1 -F 4\r\n"
    "convfp16 -n 4 -c 8 -H 20 -W 20 -k 16 -y 1 -x 1 -F 4\n";

/// Returns true if the command finished with correct results. Exit code 1 then means that a shape
/// seems slower, which can be noise.
bool isComplete(const CommandResult& ran) {
  return ran.code == 0 || (ran.code == 1 && !(ran.out + ran.err).contains("mismatch"));
}

class Split : public testing::Test {
 protected:
  void SetUp() override { box_.write("shapes.txt", kShapes); }

  [[nodiscard]] CommandResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "split");
    return box_.hone(arguments);
  }
  [[nodiscard]] std::string result(const std::string& name) const {
    return readFile(box_.work() / "shapes_results" / name).value_or("");
  }

  Sandbox box_;
};

TEST_F(Split, SweepsAnalyzesAndValidates) {
  const CommandResult ran = run({"quick", "shapes.txt", "--type", "f32"});
  ASSERT_TRUE(isComplete(ran)) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("3 shapes, 18 trials requested"));
  EXPECT_THAT(ran.out, HasSubstr("vs. oracle"));
  expectTablesFit(ran);
  EXPECT_THAT(ran.out, HasSubstr("report: shapes_results/comprehensive_analysis.txt"));
  for (const char* limit : {"1", "64", "128", "256", "baseline", "nosplit"}) {
    const std::string csv = result(std::string("limit_") + limit + "_shapes.csv");
    EXPECT_THAT(csv,
                AllOf(StartsWith("arguments,"), HasSubstr("iree_boo_experimental mean"),
                      HasSubstr("\ngemm -m 32 -n 48 -k 20480,"), Not(HasSubstr("N.A.,N.A.,N.A."))))
        << limit;
  }
  const auto json = nlohmann::json::parse(result("limitParallelLoops_sweep_results.json"));
  EXPECT_EQ(json.at("candidate_limits"), nlohmann::json({1, 64, 128, 256}));
  EXPECT_EQ(json.at("analyses").size(), 3U);
  const std::string text = result("comprehensive_analysis.txt");
  for (const char* part : {"PART 1", "PART 2", "PART 3", "PART 4", "PART 5", "PART 6"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, HasSubstr("BASELINE vs OPTIMIZED"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("inf ")), Not(HasSubstr("nan"))));
}

TEST_F(Split, ReusesEarlierMeasurements) {
  const CommandResult first = run({"quick", "shapes.txt", "--limit", "1", "--json"});
  ASSERT_TRUE(isComplete(first)) << first.err;
  const CommandResult second = run({"quick", "shapes.txt", "--limit", "1", "--json"});
  ASSERT_TRUE(isComplete(second)) << second.err;
  EXPECT_EQ(first.json().at("shapes"), second.json().at("shapes")) << "identical times";
  EXPECT_NE(first.json().at("run"), second.json().at("run"));
  const CommandResult again =
      run({"quick", "shapes.txt", "--limit", "1", "--json", "--force-rerun"});
  ASSERT_TRUE(isComplete(again)) << again.err;
  EXPECT_NE(first.json().at("shapes"), again.json().at("shapes"));
}

TEST_F(Split, MeasuresDeletedTableAgain) {
  box_.write("shapes.txt", "gemm -m 64 -n 1 -k 1216\ngemm -m 32 -n 64 -k 4096\n");
  const std::vector<std::string> command = {"quick", "shapes.txt", "--limits", "1,8,64"};
  ASSERT_TRUE(isComplete(run(command)));
  std::map<std::string, std::string> before;
  for (const char* table : {"1", "8", "64", "baseline", "nosplit"}) {
    before[table] = result(std::string("limit_") + table + "_shapes.csv");
  }
  fs::remove(box_.work() / "shapes_results/limit_64_shapes.csv");
  const CommandResult ran = run(command);
  ASSERT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("measuring again: limit 64; not found in shapes_results"));
  for (const auto& [table, text] : before) {
    const std::string after = result("limit_" + table + "_shapes.csv");
    EXPECT_EQ(after == text, table != "64") << table;
    EXPECT_THAT(after, HasSubstr("gemm -m 64 -n 1 -k 1216,"));
  }
  const CommandResult third = run(command);
  EXPECT_THAT(third.err, Not(HasSubstr("measuring again")));
}

TEST_F(Split, AnalyzesWithoutMeasuring) {
  fs::create_directories(box_.work() / "gpu_results");
  const std::string line = "convbfp16 -n 16 -c 96 -H 48 -W 32 -k 96 -y 3 -x 3 -p 1 -q 1 -F 4";
  box_.write("gpu_results/limit_baseline_prod.csv",
             "arguments,iree_boo_experimental mean\n" + line + ",900\nconv broken\n");
  box_.write("gpu_results/limit_8_prod.csv",
             "arguments,iree_boo_experimental mean\r\n" + line + ",300\r\n");
  box_.write("gpu_results/limit_64_prod.csv",
             "arguments,iree_boo_experimental mean\n" + line + ",N.A.\n");
  const CommandResult ran = run({"analyze", "gpu_results"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(fs::exists(box_.store()));
  const std::string text = readFile(box_.work() / "gpu_results/comprehensive_analysis.txt").value();
  EXPECT_THAT(text,
              AllOf(HasSubstr("limitParallelLoops = 8"), HasSubstr("Geometric Mean:   0.3000 ms")));
  EXPECT_THAT(ran.out, HasSubstr("limit_64_prod.csv:2"));
  const auto json = nlohmann::json::parse(
      readFile(box_.work() / "gpu_results/limitParallelLoops_sweep_results.json").value());
  EXPECT_EQ(json.at("candidate_limits"), nlohmann::json({8, 64}));
  EXPECT_EQ(json.at("analyses").at(line).at("all_runtimes"),
            (nlohmann::json{{"8", 300.0}, {"64", nullptr}, {"baseline", 900.0}}));
}

/// Writes the results of two limits and the baseline for a matmul.
void writeDevice(Sandbox& box, const std::string& folder, const char* eight, const char* many) {
  fs::create_directories(box.work() / folder);
  const auto write = [&](const std::string& table, const std::string& time) {
    box.write(folder + "/limit_" + table + "_w.csv",
              "arguments,iree_boo_experimental mean\ngemm -m 32 -n 48 -k 65536," + time +
                  "\ngemm -m 512 -n 512 -k 65536," + time + "\n");
  };
  write("baseline", "900");
  write("8", eight);
  write("64", many);
}

TEST_F(Split, MergesResultsOfDevices) {
  writeDevice(box_, "a_results", "100", "400");
  writeDevice(box_, "b_results", "60000", "20000");
  const CommandResult ran = run({"merge", "a_results", "b_results/", "-o", "both"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("2 devices, 2 shapes"), HasSubstr("a_results"),
                             HasSubstr("b_results"), HasSubstr("report: both/")));
  expectTablesFit(ran);
  EXPECT_FALSE(fs::exists(box_.store()));
  EXPECT_THAT(readFile(box_.work() / "both/comprehensive_analysis.txt").value(),
              AllOf(HasSubstr("a_results, matmuls:\n  ladder for all devices:"),
                    HasSubstr("PART 6"), HasSubstr("[b_results]")));
  EXPECT_TRUE(fs::exists(box_.work() / "both/recommendation.json"));
  const auto json = run({"merge", "a_results", "b_results", "--json"}).json();
  EXPECT_EQ(json.at("results"), "merged_results");
  EXPECT_EQ(json.at("regret").size(), 2U);
  EXPECT_EQ(json.at("regret")[0].at("merged").at("shapes"), 2);
}

TEST_F(Split, RejectsResultsThatCannotBeMerged) {
  writeDevice(box_, "a_results", "100", "400");
  writeDevice(box_, "b_results", "100", "400");
  expectError(run({"merge"}), 2, {"RESULTS"});
  expectError(run({"merge", "a_results"}), 2, {"at least two results folders, got 1"});
  expectError(run({"merge", "a_results", "none"}), 2, {"none", "not a results folder"});
  expectError(run({"merge", "a_results", "./a_results/"}), 2, {"the same folder"});
  expectError(run({"merge", "a_results", "b_results", "-o", "b_results"}), 2,
              {"b_results would be overwritten", "-o"});
  box_.write("file", "");
  expectError(run({"merge", "a_results", "b_results", "-o", "file"}), 2, {"file is a file"});
  fs::create_directory(box_.work() / "empty");
  expectError(run({"merge", "a_results", "empty"}), 2, {"empty", "no results found"});
  fs::create_directory(box_.work() / "other");
  box_.write("other/limit_8_w.csv",
             "arguments,iree_boo_experimental mean\ngemm -m 4 -n 4 -k 4096,1\n");
  expectError(run({"merge", "a_results", "other"}), 2,
              {"no shape was measured in all of a_results, other"});
}

TEST_F(Split, TestsEarlierRecommendation) {
  ASSERT_TRUE(isComplete(run({"quick", "shapes.txt", "--limit", "2"})));
  const std::string recommended = result("recommendation.json");
  const CommandResult ran = run({"test-optimized", "shapes.txt", "--json"});
  ASSERT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_EQ(ran.json().at("validation").at("1-D").at("shapes"), 2);
  EXPECT_EQ(nlohmann::json::parse(result("recommendation.json")).size(),
            nlohmann::json::parse(recommended).size());
}

TEST_F(Split, SkipsInvalidLines) {
  box_.write("shapes.txt",
             "gemm -m 0 -n 48 -k 64\n"
             "conv -n 1 -c 8 -H 2 -W 2 -k 8 -y 5 -x 5 -F 1\n"
             "wgrad -n 3\n"
             "gemm -m 32 -n 48 -k 20480\n"
             "gemm -m 32 -n 48 -k 1\n"
             "layernorm --input 10x32x42x32 -t 1 --mode 0 --iter 100\n");
  const CommandResult strict = run({"quick", "shapes.txt", "--strict"});
  expectError(strict, 2, {"shapes.txt:1", "m"});
  const CommandResult ran = run({"quick", "shapes.txt"});
  EXPECT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("shapes.txt:1"), HasSubstr("shapes.txt:2"),
                             HasSubstr("shapes.txt:3: "),
                             HasSubstr("shapes.txt:5: matmul_32x48x1_f32 has no reduction"),
                             HasSubstr("shapes.txt:6: layernorm is neither a matmul")));
  EXPECT_THAT(ran.out, HasSubstr("1 shapes"));
}

TEST_F(Split, ReportsMissingInput) {
  expectError(run({"quick", "nothing.txt"}), 2, {"nothing.txt"});
  box_.write("empty.txt", "");
  expectError(run({"quick", "empty.txt"}), 2, {"empty.txt", "no problem"});
  expectError(run({"test-optimized", "shapes.txt"}), 2,
              {"recommendation.json", "hone split analyze"});
  expectError(run({"analyze", "nowhere"}), 2, {"nowhere", "not a results folder"});
  expectError(run({"analyze"}), 2, {"found no *_results folders"});
  expectError(run({"quick", "shapes.txt", "--limits", "0"}), 2, {"--limits"});
  expectError(run({"quick", "shapes.txt", "--type", "f32,f16"}), 2, {"--type"});
  expectError(run({"quick", "shapes.txt", "--target", "rocm:gfx942"}), 2,
              {"no rocm:gfx942 device found", "hone split analyze"});
}

TEST_F(Split, ContinuesAfterKill) {
  const std::vector<std::string> command = {"split", "quick", "shapes.txt", "--limit", "2"};
  Process process = box_.start(command);
  ASSERT_TRUE(eventually([&] { return box_.countStoredTrials(1) >= 4; }));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(box_.allProcessesEnd());
  const CommandResult ran = box_.hone(command);
  EXPECT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("resuming run 1"));
}

TEST_F(Split, MeasuresEachDriverSeparately) {
  std::vector<std::string> command = {
      "quick",    "shapes.txt", "--limit",  "1",
      "--limits", "1,64",       "--device", "local-sync,local-task"};
  const CommandResult text = run(command);
  ASSERT_TRUE(isComplete(text)) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("device local-sync\n"), HasSubstr("device local-task\n")));
  for (const std::string device : {"local-sync", "local-task"}) {
    const fs::path folder = box_.work() / ("shapes_" + device + "_results");
    EXPECT_TRUE(fs::exists(folder / "comprehensive_analysis.txt")) << device;
    EXPECT_TRUE(fs::exists(folder / "limit_64_shapes.csv")) << device;
  }
  EXPECT_FALSE(fs::exists(box_.work() / "shapes_results"));
  const auto runs = box_.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("device"), "local-task") << "newest first";
  EXPECT_EQ(runs[1].at("device"), "local-sync");

  command.insert(command.end(), {"--results", "all", "--json"});
  const auto json = run(command).json();
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0].at("device"), "local-sync");
  EXPECT_EQ(json[1].at("device"), "local-task");
  EXPECT_NE(json[0].at("shapes"), json[1].at("shapes")) << "each has its own times";
  EXPECT_TRUE(fs::exists(box_.work() / "all/local-sync/recommendation.json"));
  const CommandResult tested = run({"test-optimized", "shapes.txt", "--limit", "1", "--device",
                                    "local-sync,local-task", "--json"});
  ASSERT_TRUE(isComplete(tested)) << tested.err;
  EXPECT_EQ(tested.json().size(), 2U);
}

/// Fast also on a software implementation of Vulkan.
constexpr const char* kTinyShapes =
    "gemm -m 8 -n 8 -k 1024\ngemm -m 8 -n 16 -k 1024\ngemm -m 16 -n 16 -k 1024\n";

TEST_F(Split, CompilesForTargetOfEachDriver) {
  box_.write("shapes.txt", kTinyShapes);
  const CommandResult ran = run({"quick", "shapes.txt", "--limit", "1", "--type", "f32", "--limits",
                                 "1,64", "--device", "local-task,vulkan"});
  if (ran.err.contains("no vulkan device found")) {
    EXPECT_EQ(ran.code, 2);
    EXPECT_FALSE(fs::exists(box_.store())) << "found before the first sweep";
    GTEST_SKIP() << ran.err;
  }
  ASSERT_TRUE(isComplete(ran)) << ran.err;
  const auto runs = box_.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("target"), "vulkan");
  EXPECT_EQ(runs[1].at("target"), "local");
  EXPECT_TRUE(fs::exists(box_.work() / "shapes_vulkan_results/limit_1_shapes.csv"));
}

TEST_F(Split, ResumesOnInterruptedDriver) {
  Process process = box_.start({"split", "quick", "shapes.txt", "--limit", "1", "--limits", "1,64",
                                "--device", "local-sync,local-task"});
  ASSERT_TRUE(eventually([&] { return box_.countStoredTrials(2) >= 1 || process.ended(); }));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(box_.allProcessesEnd());
  const CommandResult ran = box_.hone({"runs", "resume", "2"});
  ASSERT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("resuming run 2"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("device local-task\n"), Not(HasSubstr("local-sync"))));
}

TEST_F(Split, RejectsUnusableListsOfDevices) {
  const auto expectRejected = [&](const std::string& devices,
                                  const std::vector<std::string>& texts) {
    expectError(run({"quick", "shapes.txt", "--device", devices}), 2, texts);
  };
  expectRejected("local-task,hip://0", {"'hip://0'", "--target"});
  expectRejected("local-task,local-task", {"'local-task'", "twice"});
  expectRejected("local-task://0,local-task://1", {"share the CPU"});
  expectRejected("vulkan,vulkan://1", {"'vulkan'", "vulkan://0"});
  expectRejected("local-task,abacus", {"'abacus'", "--target"});
  expectRejected("vulkan://no,vulkan://nowhere", {"'vulkan://no'"});
  EXPECT_FALSE(fs::exists(box_.store()));
}

/// IREE's tools with two devices, which both are the Vulkan device of this machine.
class SplitTwoDevices : public Split {
 protected:
  void SetUp() override {
    Split::SetUp();
    const fs::path wheels = fs::path(std::getenv("HONE_IREE")) / "iree";
    const auto build = box_.work() / "iree-build";
    fs::create_directories(build / "lib");
    fs::create_directories(build / "tools");
    for (const char* file : {"libIREECompiler.so", "iree-lld"}) {
      fs::create_symlink(wheels / "compiler/_mlir_libs" / file, build / "lib" / file);
    }
    for (const char* tool : {"iree-run-module", "iree-benchmark-module"}) {
      const std::string real = (wheels / "_runtime_libs" / tool).string();
      box_.write(std::string("iree-build/tools/") + tool,
                 "#!/bin/bash\n"
                 "[ \"$1\" = --list_devices ] && printf 'vulkan://a\\nvulkan://b\\n' && exit\n"
                 "for word; do case $word in --device=*) echo $word >> \"" +
                     (box_.work() / "used.txt").string() +
                     "\";; esac; done\n"
                     "exec " +
                     real + " \"${@/#--device=vulkan:\\/\\/[ab]/--device=vulkan}\"\n");
      fs::permissions(build / "tools" / tool, fs::perms::owner_all);
    }
  }
};

TEST_F(SplitTwoDevices, ShareShapesOfOneTable) {
  box_.write("shapes.txt", kTinyShapes);
  if (box_.hone({"profile", "--target=vulkan", "--problem-m=8", "--problem-n=8", "--problem-k=8",
                 "--profiling-enabled=false"})
          .code == 2) {
    GTEST_SKIP() << "no Vulkan device";
  }
  const std::vector<std::string> command = {
      "quick",    "shapes.txt", "--type",     "f32",      "--limits",
      "1,64",     "--iree",     "iree-build", "--device", "vulkan://a,vulkan://b",
      "--target", "vulkan"};
  const CommandResult ran = run(command);
  ASSERT_TRUE(isComplete(ran)) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("3 shapes"));
  const std::string csv = result("limit_baseline_shapes.csv");
  EXPECT_THAT(csv, AllOf(HasSubstr("\ngemm -m 8 -n 16 -k 1024,"), Not(HasSubstr("N.A."))));
  const std::string used = readFile(box_.work() / "used.txt").value();
  EXPECT_THAT(used, AllOf(HasSubstr("--device=vulkan://a\n"), HasSubstr("--device=vulkan://b\n")));
  EXPECT_GT(box_.countStoredTrials(2), 6);
  EXPECT_TRUE(box_.allProcessesEnd());
}

/// A minimal IREE checkout and build folder. The "build" links the wheel's library under the name
/// that a build gives it.
class SplitRebuild : public Split {
 protected:
  void SetUp() override {
    Split::SetUp();
    fs::create_directories(source().parent_path());
    fs::copy_file(sourceFolder() / "src/split/source/testdata/functions_form.cpp", source());
    fs::create_directories(box_.work() / "build/lib");
    text_ = readFile(source()).value();
  }
  [[nodiscard]] fs::path source() const {
    return box_.work() /
           "iree/compiler/src/iree/compiler/DispatchCreation/SetSplitReductionSizes.cpp";
  }
  [[nodiscard]] std::vector<std::string> command(const std::string& build) const {
    return {"split",    "quick",        "shapes.txt", "--limit",         "1",
            "--limits", "1,8",          "--method",   "rebuild",         "--iree-source",
            "iree",     "--iree-build", "build",      "--build-command", build};
  }
  /// Records the built source, then creates the library.
  static std::string realBuild() {
    return "cat ../iree/compiler/src/iree/compiler/DispatchCreation/*.cpp >> built.txt && "
           "ln -sf $HONE_IREE/iree/compiler/_mlir_libs/libIREECompiler.so "
           "$HONE_IREE/iree/compiler/_mlir_libs/iree-lld lib/";
  }

  std::string text_;
};

TEST_F(SplitRebuild, BuildsForEveryLimitAndRestoresSource) {
  const CommandResult ran = box_.hone(command(realBuild()));
  ASSERT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_EQ(readFile(source()).value(), text_);
  const std::string built = readFile(box_.work() / "build/built.txt").value();
  EXPECT_THAT(built, StartsWith(text_));
  EXPECT_THAT(built, AllOf(HasSubstr("#if 0"), HasSubstr("= 8"), HasSubstr("false &&")));
  EXPECT_THAT(ran.out, HasSubstr("1 shapes, 4 trials requested"));
  EXPECT_THAT(result("limit_8_shapes.csv"), Not(HasSubstr("N.A.")));
}

TEST_F(SplitRebuild, ReportsFailedBuildAndRestoresSource) {
  const CommandResult ran = box_.hone(command("echo no compiler here >&2; exit 3"));
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no compiler here"));
  EXPECT_EQ(readFile(source()).value(), text_);
}

TEST_F(SplitRebuild, RestoresSourceAfterKill) {
  // The second build, for a limit, never finishes.
  Process process =
      box_.start(command("if [ -e built.txt ]; then touch second; sleep 1000; fi; " + realBuild()));
  ASSERT_TRUE(eventually([&] { return fs::exists(box_.work() / "build/second"); }));
  EXPECT_NE(readFile(source()).value(), text_);
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(box_.allProcessesEnd());
  const CommandResult ran = box_.hone(command(realBuild()));
  EXPECT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_EQ(readFile(source()).value(), text_);
}

TEST_F(SplitRebuild, ValidatesBuiltCompilerAndRestoresSource) {
  ASSERT_TRUE(isComplete(run({"quick", "shapes.txt", "--limit", "1", "--limits", "1,8"})));
  std::vector<std::string> validate = {"test-optimized",  "shapes.txt",
                                       "--limit",         "1",
                                       "--iree-source",   "iree",
                                       "--iree-build",    "build",
                                       "--build-command", "echo no compiler here >&2; exit 3"};
  expectError(run(validate), 2, {"no compiler here"});
  EXPECT_EQ(readFile(source()).value(), text_);
  validate.back() = realBuild();
  validate.emplace_back("--json");
  const CommandResult ran = run(validate);
  ASSERT_TRUE(isComplete(ran)) << ran.err;
  EXPECT_EQ(readFile(source()).value(), text_);
  const std::string built = readFile(box_.work() / "build/built.txt").value();
  EXPECT_THAT(built, StartsWith(text_));
  EXPECT_THAT(built.substr(text_.size()), HasSubstr("const bool isMeasured ="));
  // The build command links the same compiler twice, so no shape differs.
  const auto json = ran.json();
  EXPECT_EQ(json.at("validation").at("built").at("shapes"), 1);
  EXPECT_EQ(json.at("validation").at("built").at("neutral"), 1);
  EXPECT_FALSE(json.at("validation").contains("oracle"));
  EXPECT_THAT(result("comprehensive_analysis.txt"), HasSubstr("PART 6"));
}

TEST_F(SplitRebuild, RequiresBothFolders) {
  expectError(run({"quick", "shapes.txt", "--method", "rebuild"}), 2, {"--iree-source"});
  expectError(run({"test-optimized", "shapes.txt", "--iree-source", "iree"}), 2, {"--iree-build"});
}

TEST_F(Split, AnnotatesProgramWithHelpfulSplits) {
  box_.write("model.mlir", matmulText(8, 16, 65536));
  const CommandResult ran =
      run({"annotate", "model.mlir", "-o", "out.mlir", "--limits", "1,2,64", "--json"});
  const bool written = fs::exists(box_.work() / "out.mlir");
  ASSERT_THAT(ran.code, testing::AnyOf(0, 1)) << ran.err;
  const auto json = ran.json();
  EXPECT_EQ(json.at("operations").size(), 1U);
  EXPECT_EQ(written, !json.at("output").is_null());
  EXPECT_EQ(written, json.value("verdict", "") == "improved");
  EXPECT_EQ(ran.code == 1, json.value("verdict", "") == "regressed");
  if (written) {
    EXPECT_THAT(readFile(box_.work() / "out.mlir").value(),
                HasSubstr("iree_linalg_ext.split_reduction"));
    const CommandResult again = box_.hone({"bench", "model.mlir", "--rounds", "5"});
    EXPECT_EQ(again.code, 0) << again.err;
  }
}

TEST_F(Split, AnnotateWritesOnlyProvenImprovements) {
  box_.write("model.mlir", matmulText(256, 256, 64));
  // Results that promise a gain which the program does not have.
  for (const auto& [limit, us] : {std::pair("2", 10), std::pair("nosplit", 100)}) {
    box_.write(fmt::format("promise_results/limit_{}_x.csv", limit),
               fmt::format("arguments,iree_boo_experimental mean\n"
                           "gemm -m 256 -n 256 -k 64 -u 0 -v 0,{}\n",
                           us));
  }
  std::vector<std::string> command = {"annotate", "model.mlir", "-o",
                                      "out.mlir", "--results",  "promise_results"};
  const CommandResult ran = run(command);
  ASSERT_THAT(ran.code, testing::AnyOf(0, 1)) << ran.err;
  EXPECT_EQ(ran.code == 1, ran.out.contains("whole program: regressed"));
  EXPECT_THAT(ran.out, HasSubstr("nothing written: the program is not proven faster"));
  EXPECT_FALSE(fs::exists(box_.work() / "out.mlir"));
  expectError(run({"annotate", "model.mlir", "-o", "none/out.mlir"}), 2,
              {"cannot write none/out.mlir", "does not exist"});
  command.emplace_back("--force");
  const CommandResult forced = run(command);
  ASSERT_THAT(forced.code, testing::AnyOf(0, 1)) << forced.err;
  EXPECT_TRUE(fs::exists(box_.work() / "out.mlir"));
}

TEST_F(Split, RejectsProgramWithoutReduction) {
  box_.write("model.mlir",
             "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
             "  %0 = arith.addf %a, %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n");
  expectError(run({"annotate", "model.mlir", "-o", "out.mlir"}), 2, {"no reduction"});
}

}  // namespace
}  // namespace hone::test
