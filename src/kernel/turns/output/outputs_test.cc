#include "kernel/turns/output/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "kernel/propose/test_loop.h"
#include "kernel/turns/output/kernel_files.h"
#include "kernel/turns/slow_list.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;
using test::failingKernel;
using test::kernelTaking;
using test::makeProposal;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

JudgedProposal makeJudged(const Proposal& proposal, std::size_t turn, std::optional<double> speedup,
                          model::Outcome outcome = model::Outcome::ok) {
  JudgedProposal tried;
  tried.proposal = proposal;
  tried.turn = turn;
  tried.speedup = speedup;
  tried.judged.outcome = outcome;
  tried.judged.message = outcome == model::Outcome::ok ? "" : "line 2: wrong";
  return tried;
}

/// Returns the result of one turn with a winner and a failure.
Optimized improvedResult() {
  Optimized result;
  result.original = kernelTaking(1000);
  const Proposal winner = makeProposal(kernelTaking(500), "half the time");
  const Proposal loser = makeProposal(failingKernel(model::Outcome::mismatch), "wrong");
  result.best = winner;
  result.best.source.flags = {"-xc", "-O3"};
  result.stop = Stop::target;
  result.why = "the target is reached";
  Confirmation confirmed;
  confirmed.original = {stats::Verdict::improved, {1.9, 2.0, 2.1}, 0.01, 20};
  confirmed.pytorch = stats::Comparison{stats::Verdict::improved, {1.2, 1.2344, 1.3}, 0.01, 20};
  confirmed.originalNs = 1000;
  confirmed.bestNs = 500;
  result.confirmed = confirmed;
  result.originalOverPyTorch = 0.6;
  TurnRecord turn;
  turn.turn = 1;
  turn.analysis.emplace().category = "slow";
  turn.proposals = {winner, loser};
  turn.best = winner.source.key();
  turn.bestSpeedup = 2;
  turn.improvement = 1;
  turn.decided = true;
  result.turns = {turn};
  result.tried = {makeJudged(makeProposal(result.original, "the original"), 0, 1),
                  makeJudged(winner, 1, 2), makeJudged(loser, 1, {}, model::Outcome::mismatch)};
  return result;
}

OutputOptions optionsIn(const fs::path& folder) {
  return {folder / "scale.cc", folder / "scale.reference.cc", "scale", "a CPU, 1 thread", "0.1"};
}

TEST(Outputs, WritesMeasurementsIntoHeader) {
  const std::string text = optimizedText(improvedResult(), optionsIn("/x"));
  EXPECT_THAT(text, StartsWith("// Optimized by hone 0.1 from scale.cc on "));
  EXPECT_THAT(text,
              AllOf(HasSubstr("// over the original: 2.000x (95 % interval 1.900 - 2.100), 20"),
                    HasSubstr("// over PyTorch: 1.234x"), HasSubstr("// on a CPU, 1 thread;"),
                    HasSubstr("scale.reference.cc"), HasSubstr("// techniques: tiling\n"),
                    HasSubstr("// hone: flags -O3\n\n" + kernelTaking(500).text)));
}

TEST(Outputs, WritesPythonHeaderAsComments) {
  Optimized result = improvedResult();
  result.best.source.language = Language::tilelang;
  for (const std::string& line : splitAt(optimizedText(result, optionsIn("/x")), '\n')) {
    if (line.empty()) {
      break;
    }
    EXPECT_THAT(line, StartsWith("# "));
  }
}

TEST(Outputs, ReplacesExistingHeader) {
  Optimized result = improvedResult();
  const std::string once = optimizedText(result, optionsIn("/x"));
  EXPECT_THAT(readHeaderFlags(once), ElementsAre("-O3"));
  result.best.source.text = once;
  const std::string twice = optimizedText(result, optionsIn("/x"));
  EXPECT_EQ(twice.find("Optimized by hone"), twice.rfind("Optimized by hone"));
  EXPECT_TRUE(twice.ends_with("\n\n" + kernelTaking(500).text));
}

TEST(Outputs, ReadsFlagsOfHeader) {
  EXPECT_THAT(
      readHeaderFlags("// hone: flags -O3 -fplugin=x.so -mavx2 -I/etc -ffast-math\nint a;\n"),
      ElementsAre("-O3", "-fplugin=x.so", "-mavx2", "-I/etc", "-ffast-math"));
  EXPECT_THAT(readHeaderFlags("int a;\n// hone: flags -O3\n"), IsEmpty());
}

TEST(Outputs, RecognizesOptimizedFileNames) {
  EXPECT_EQ(optimizedFile("a/softmax.py", 1.23449), "a/softmax_optimized_1.234x.py");
  EXPECT_TRUE(isOptimizedFile("a/softmax_optimized_1.234x.py"));
  EXPECT_EQ(untimedFile("a/gemm.py"), "a/gemm_not_timed.py");
  EXPECT_TRUE(isOptimizedFile("a/gemm_not_timed.py"));
  EXPECT_FALSE(isOptimizedFile("softmax.py"));
  EXPECT_FALSE(isOptimizedFile("softmax_optimized.py"));
}

TEST(Outputs, WritesOneHistoryEntryPerTurn) {
  const nlohmann::json history = historyJson(improvedResult(), "scale.cc");
  ASSERT_EQ(history.size(), 1U);
  const nlohmann::json& turn = history[0];
  EXPECT_EQ(turn["iteration"], 1);
  EXPECT_EQ(turn["bottleneck_analysis"]["category"], "slow");
  EXPECT_EQ(turn["optimization_suggestions"][0]["title"], "half the time");
  EXPECT_THAT(turn["code_changes"][0]["diff"],
              AllOf(HasSubstr("+++ b/scale.cc"), HasSubstr("-// takes 1000 ns"),
                    HasSubstr("+// takes 500 ns")));
  EXPECT_EQ(turn["evaluation"][0]["speedup"], 2.0);
  EXPECT_EQ(turn["evaluation"][1]["outcome"], "mismatch");
  EXPECT_EQ(turn["evaluation"][1]["message"], "line 2: wrong");
  EXPECT_EQ(turn["improvement"], 1.0);
  EXPECT_EQ(turn["speedup"], 1.2);
  EXPECT_EQ(turn["stopped"], "target");
  EXPECT_EQ(turn["confirmed"]["original"]["verdict"], "improved");
}

TEST(Outputs, WritesNextToKernelAndIntoLogs) {
  const ScratchFolder folder = ScratchFolder::create("hone-outputs-test").value();
  Optimized result = improvedResult();
  result.conversation = "hello";
  const Outputs outputs = planOutputs(result, optionsIn(folder.path()));
  const OutputFiles files = writeOutputs(outputs, folder.path(), folder.path() / "logs").value();
  EXPECT_EQ(files.kernel, folder.path() / "scale_optimized_1.234x.cc");
  EXPECT_EQ(files.history, folder.path() / "logs/optimization_history_scale.json");
  EXPECT_EQ(readFile(files.conversation).value(), "hello");
  EXPECT_EQ(nlohmann::json::parse(readFile(files.history).value()).size(), 1U);
  // An optimized kernel can be optimized again, built with the same flags.
  EXPECT_THAT(readKernel(files.kernel).value().flags, ElementsAre("-O3"));
}

TEST(Outputs, WritesNoUnconfirmedKernel) {
  const ScratchFolder folder = ScratchFolder::create("hone-outputs-test").value();
  Optimized result = improvedResult();
  result.confirmed->original.verdict = stats::Verdict::ambiguous;
  const Outputs outputs = planOutputs(result, optionsIn(folder.path()));
  const OutputFiles files = writeOutputs(outputs, folder.path(), folder.path() / "logs").value();
  EXPECT_EQ(files.kernel, "");
  EXPECT_TRUE(fs::exists(files.history));
  EXPECT_EQ(files.conversation, "");
}

TEST(Outputs, MakesNoExampleWithoutChangedCode) {
  Optimized result = improvedResult();
  result.best.source.text = result.original.text;
  result.best.source.flags = {"-O3"};
  EXPECT_EQ(makeExample(result), std::nullopt) << "only the flags differ";
  result.original.text = "int a;  // slow\n";
  result.best.source.text = "// Optimized by hone\n\nint  a;\n";
  EXPECT_EQ(makeExample(result), std::nullopt) << "only comments differ";
  result.best.source.text = "int b;\n";
  EXPECT_NE(makeExample(result), std::nullopt);
}

TEST(Outputs, MakesExampleOfImprovement) {
  const Example example = makeExample(improvedResult()).value();
  EXPECT_THAT(example.name, StartsWith("scale-"));
  EXPECT_EQ(example.technique, "tiling");
  EXPECT_EQ(example.title, "scale: half the time");
  EXPECT_EQ(example.before, kernelTaking(1000).text);
  EXPECT_EQ(example.after, kernelTaking(500).text);
  EXPECT_EQ(example.speedup, 2.0);
  EXPECT_FALSE(example.shipped);
}

TEST(TurnRecord, RoundTripsThroughJson) {
  TurnRecord record = improvedResult().turns.front();
  record.examples = {"a", "b"};
  record.complaint = "c";
  record.ended = "d";
  record.memory = {1, 2};
  record.speedups = {{"k", 1.5}};
  record.bestNs = 500;
  const nlohmann::json stored = toJson(toStoredTurn(record));
  EXPECT_EQ(toJson(toStoredTurn(turnRecordFrom(model::kernelTurnFrom(stored)))), stored);
}

class KernelFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"level1/1_2.py", "level1/1_2.reference.py", "level1/__init__.py",
                             "level2/a.cc", "level2/a.reference.cc", "level2/a_optimized_1.500x.cc",
                             "level2/reference.py", ".hidden/b.cc", "notes.txt"}) {
      const fs::path file = root() / name;
      ASSERT_TRUE(makeFolder(file.parent_path()));
      ASSERT_TRUE(writeFile(file, "x = 1\n"));
    }
  }
  [[nodiscard]] const fs::path& root() const { return folder_.path(); }
  ScratchFolder folder_ = ScratchFolder::create("hone-kernel-files-test").value();
};

TEST_F(KernelFiles, FindsOnlyKernels) {
  std::filesystem::create_symlink("loop.cc", root() / "loop.cc");
  EXPECT_THAT(findKernels(root()).value(),
              ElementsAre(root() / "level1/1_2.py", root() / "level2/a.cc"));
  EXPECT_FALSE(findKernels(root() / "nowhere"));
}

TEST_F(KernelFiles, HashesKernelsAndReferences) {
  const std::string before = hashKernels(root()).value();
  EXPECT_EQ(hashKernels(root()).value(), before);
  EXPECT_TRUE(writeFile(root() / "level2/notes.txt", "nothing"));
  EXPECT_EQ(hashKernels(root()).value(), before);
  std::set<std::string> seen = {before};
  for (const char* name : {"level2/a.cc", "level2/a.reference.cc", "level2/a.reference.py"}) {
    EXPECT_TRUE(writeFile(root() / name, "// edited\n"));
    EXPECT_TRUE(seen.insert(hashKernels(root()).value()).second) << name;
  }
  EXPECT_FALSE(hashKernels(root() / "nowhere"));
}

TEST_F(KernelFiles, FindsNamesBelowFolder) {
  EXPECT_EQ(findKernel("level1/1_2.py", root()).value(), root() / "level1/1_2.py");
  EXPECT_EQ(findKernel("level2/a", root()).value(), root() / "level2/a.cc");
  EXPECT_EQ(findKernel(root() / "level2/a.cc", "/").value(), root() / "level2/a.cc");
  const auto missing = findKernel("level1/1_3.py", root());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message,
              AllOf(HasSubstr("no kernel file level1/1_3.py found"),
                    HasSubstr("did you mean level1/1_2.py?"), HasSubstr("list-slow")));
}

TEST(ListedKernel, IsSlowByPyTorchOrCategory) {
  ListedKernel listed;
  listed.speedup = 0.7;
  EXPECT_EQ(comparedWith(listed), "PyTorch");
  EXPECT_TRUE(isSlow(listed, SlowThreshold::from({})));
  EXPECT_TRUE(isSlow(listed, SlowThreshold::from(0.8)));
  EXPECT_FALSE(isSlow(listed, SlowThreshold::from(0.6)));
  listed.speedup.reset();
  listed.category = "good";
  EXPECT_FALSE(isSlow(listed, {}));
  listed.category = std::string(nameOf(Category::critical));
  EXPECT_TRUE(isSlow(listed, {}));
  EXPECT_EQ(model::listedKernelFrom(toJson(listed)).value(), listed);
  EXPECT_EQ(comparedWith(listed), "");
  listed.rooflineShare = 0.2;
  EXPECT_EQ(comparedWith(listed), "roofline");
  EXPECT_TRUE(isSlow(listed, SlowThreshold::from({})));
  EXPECT_FALSE(isSlow(listed, SlowThreshold::from(0.1))) << "acts on the roofline, too";
  EXPECT_TRUE(isSlow(listed, SlowThreshold::from(0.25)));
  listed.problem = "mismatch";
  EXPECT_FALSE(isSlow(listed, SlowThreshold::from(1000)));
}

TEST(ListKernel, MeasuresAgainstPyTorchOnce) {
  const ScratchFolder folder = ScratchFolder::create("hone-slow-list-test").value();
  auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  store::Run run;
  run.key = "k";
  const std::int64_t id = store.addRun(run).value();
  Progress quiet(true);
  test::FakeKernelJudge kernelJudge(400);
  ListedKernel first;
  for (int time = 0; time < 2; ++time) {
    KernelTrials trials(kernelJudge, {store, id, "scale.cc", iree::RankBy::cpu, 1});
    const auto listed = listKernel(trials, kernelTaking(1000), {}, quiet);
    ASSERT_TRUE(listed) << listed.error().message;
    EXPECT_NEAR(*listed->speedup, 0.4, 0.02);
    EXPECT_EQ(listed->problem, "");
    EXPECT_TRUE(time == 0 || *listed == first);
    first = *listed;
    EXPECT_EQ(kernelJudge.measurements, 10) << "stored rounds are reused";
  }
  KernelTrials trials(kernelJudge, {store, id, "wrong.cc", iree::RankBy::cpu, 1});
  const auto wrong = listKernel(trials, failingKernel(model::Outcome::mismatch), {}, quiet);
  EXPECT_THAT(wrong->problem, HasSubstr("mismatch: line 3"));
}

}  // namespace
}  // namespace hone::kernel
