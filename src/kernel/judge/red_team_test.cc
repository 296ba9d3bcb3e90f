// Judges the corpus in tests/exploits, and honest kernels in many styles.
#include "kernel/judge/red_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "kernel/judge/test_honest_styles.h"
#include "kernel/source/cheats.h"
#include "kernel/worker/cpp/cpp_build.h"
#include "kernel/worker/python/python_place.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsEmpty;

const fs::path kCorpus = fs::path(HONE_SOURCE_DIR) / "tests/exploits";
/// Each test process judges every n-th kernel.
constexpr std::size_t kShards = 8;

JudgeOptions redTeamOptions(const fs::path& folder) {
  JudgeOptions options;
  options.folder = folder;
  options.limits.wall = std::chrono::seconds(5);
  const auto place = findPython();
  const auto packages = place ? queryPackages(place->interpreter) : Result<PythonPackages>({});
  if (packages && !packages->torch.empty() && !packages->tilelang.empty()) {
    options.python = place->interpreter;
    options.worker = place->script;
    options.limits.wall = std::chrono::seconds(60);  // TileLang compiles for several seconds
  }
  return options;
}

class Shard : public testing::TestWithParam<std::size_t> {
 protected:
  ScratchFolder folder_ = ScratchFolder::create("hone-red-team").value();
};

class RedTeamShard : public Shard {};

TEST_P(RedTeamShard, StopsExploits) {
  const std::vector<Exploit> exploits = readExploits(kCorpus).value();
  RedTeam team(kCorpus, redTeamOptions(folder_.path()));
  for (std::size_t i = GetParam(); i < exploits.size(); i += kShards) {
    const Exploit& exploit = exploits[i];
    const auto result = team.run(exploit);
    ASSERT_TRUE(result) << exploit.source.name << ": " << result.error().message;
    EXPECT_FALSE(result->passed) << exploit.source.name << " is " << result->speedup << "x";
    if (!result->skipped) {
      EXPECT_THAT(exploit.stoppedBy, Contains(result->stoppedBy()))
          << exploit.source.name << ": " << nameOf(result->outcome) << ": " << result->message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RedTeamShard, testing::Range(std::size_t{0}, kShards));

TEST(RedTeam, CoversBothLanguages) {
  const std::vector<Exploit> exploits = readExploits(kCorpus).value();
  std::size_t cpp = 0;
  for (const Exploit& exploit : exploits) {
    cpp += exploit.source.language == Language::cpp ? 1 : 0;
  }
  EXPECT_GE(cpp, 60U);
  EXPECT_GE(exploits.size() - cpp, 20U);
}

TEST(RedTeam, ReportsFilesWithoutHeader) {
  const ScratchFolder folder = ScratchFolder::create("hone-red-team").value();
  ASSERT_TRUE(writeFile(folder.path() / "a.cc", "// Tries: nothing.\nint x;\n"));
  EXPECT_FALSE(readExploits(folder.path()));
  EXPECT_FALSE(readExploits(folder.path() / "missing"));
}

class HonestShard : public Shard {};

TEST_P(HonestShard, PassesScan) {
  auto builder = CppBuilder::open(folder_.path(), {std::chrono::seconds(60), 4ULL << 30U}).value();
  const std::vector<TestKernel> kernels = honestStyles();
  EXPECT_GE(kernels.size(), 200U);
  for (std::size_t i = GetParam(); i < kernels.size(); i += kShards) {
    const TestKernel& kernel = kernels[i];
    const CppPreprocessed expanded = builder.preprocess(kernel.text, kernel.flags).value();
    EXPECT_TRUE(expanded.ok()) << kernel.name << ": " << expanded.message;
    std::vector<std::string> cheats;
    for (const Cheat& cheat : findCheats(Language::cpp, expanded.own)) {
      cheats.push_back(cheat.text());
    }
    EXPECT_THAT(cheats, IsEmpty()) << kernel.name << "\n" << kernel.text;
  }
}

/// Judges one operation per style.
TEST_P(HonestShard, IsAccepted) {
  const std::vector<TestKernel> kernels = honestStyles();
  const std::size_t styles = countHonestStyles();
  const std::size_t operations = kernels.size() / styles;
  const std::size_t operation = GetParam() % operations;
  const TestKernel& first = kernels[operation * styles];
  const fs::path reference = folder_.path() / "task.reference.cc";
  ASSERT_TRUE(writeFile(reference, first.reference));
  JudgeOptions options = redTeamOptions(folder_.path() / "scratch");
  options.limits.wall = std::chrono::seconds(20);
  auto judge = Judge::open(readTask(reference, options).value(), options).value();
  for (std::size_t style = GetParam(); style < styles; style += kShards) {
    const TestKernel& kernel = kernels[operation * styles + style];
    const JudgeResult judged = judge.judge(kernel.source(), 1).value();
    EXPECT_EQ(judged.outcome, model::Outcome::ok) << kernel.name << ": " << judged.message << "\n"
                                                  << judged.diagnostics;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HonestShard, testing::Range(std::size_t{0}, kShards));

}  // namespace
}  // namespace hone::kernel
