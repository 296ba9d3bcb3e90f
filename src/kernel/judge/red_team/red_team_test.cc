// Judges the corpus in tests/exploits, and honest kernels in many styles.
#include "kernel/judge/red_team/red_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "kernel/judge/red_team/test_honest_styles.h"
#include "kernel/source/cheats/cheats.h"
#include "kernel/worker/cpp/cpp_build.h"
#include "kernel/worker/python/python_place.h"
#include "tests/source_folder.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const fs::path kCorpus = sourceFolder() / "tests/exploits";
/// Each test process judges every n-th kernel.
constexpr std::size_t kShards = 8;

JudgeOptions redTeamOptions(const fs::path& folder) {
  JudgeOptions options;
  options.folder = folder;
  options.limits.wall = std::chrono::seconds(15);  // also for the compiler, on a busy machine
  const auto place = findPython();
  const auto packages = place ? queryPackages(place->interpreter) : Result<PythonPackages>({});
  if (packages && !packages->torch.empty() && !packages->tilelang.empty()) {
    options.python = place->interpreter;
    options.worker = place->script;
  }
  return options;
}

class Shard : public testing::TestWithParam<std::size_t> {
 protected:
  ScratchFolder folder_ = ScratchFolder::create("hone-red-team").value();
};

/// Returns the exploits in one language.
std::vector<Exploit> readExploitsIn(const fs::path& folder, Language language) {
  std::vector<Exploit> exploits = readExploits(folder).value();
  std::erase_if(exploits, [&](const Exploit& one) { return one.source.language != language; });
  return exploits;
}

class RedTeamShard : public Shard {
 protected:
  /// Judges an exploit. Counts it in `skipped_` if it needs TileLang, which is not installed.
  testing::AssertionResult isStopped(RedTeam& team, const Exploit& exploit) {
    const auto result = team.run(exploit);
    if (!result) {
      return testing::AssertionFailure() << exploit.source.name << ": " << result.error().message;
    }
    if (result->skipped) {
      ++skipped_;
      return testing::AssertionSuccess();
    }
    if (result->passed) {
      return testing::AssertionFailure() << exploit.source.name << " is " << result->speedup << "x";
    }
    const bool expected =
        std::ranges::find(exploit.stoppedBy, result->stoppedBy()) != exploit.stoppedBy.end();
    return (expected ? testing::AssertionSuccess() : testing::AssertionFailure())
           << exploit.source.name << " is stopped by " << result->stoppedBy() << ": "
           << nameOf(result->outcome) << ": " << result->message;
  }

  std::size_t skipped_ = 0;
};

TEST_P(RedTeamShard, StopsExploits) {
  const std::vector<Exploit> exploits = readExploitsIn(kCorpus, Language::cpp);
  RedTeam team(kCorpus, redTeamOptions(folder_.path()));
  for (std::size_t i = GetParam(); i < exploits.size(); i += kShards) {
    EXPECT_TRUE(isStopped(team, exploits[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RedTeamShard, testing::Range(std::size_t{0}, kShards));

class RedTeamTileLang : public RedTeamShard {};

TEST_P(RedTeamTileLang, StopsExploits) {
  const std::vector<Exploit> exploits = readExploitsIn(kCorpus, Language::tilelang);
  RedTeam team(kCorpus, redTeamOptions(folder_.path()));
  for (const Exploit& exploit : exploits) {
    EXPECT_TRUE(isStopped(team, exploit));
  }
  if (skipped_ > 0) {
    GTEST_SKIP() << skipped_ << " of " << exploits.size()
                 << " exploits were only scanned, because TileLang is not installed";
  }
}

INSTANTIATE_TEST_SUITE_P(All, RedTeamTileLang, testing::Values(std::size_t{0}));

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

/// Returns the problem that an honest kernel of the corpus solves.
std::string findProblem(const Source& source) {
  const std::string label = "// Problem: ";
  const std::size_t begin = source.text.find(label) + label.size();
  return source.text.substr(begin, source.text.find('\n', begin) - begin);
}

TEST_P(HonestShard, AcceptsCorpus) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kCorpus / "honest")) {
    files.push_back(entry.path());
  }
  EXPECT_GE(files.size(), 25U);
  std::ranges::sort(files);
  JudgeOptions options = redTeamOptions(folder_.path());
  options.limits.wall = std::chrono::seconds(20);
  for (std::size_t i = GetParam(); i < files.size(); i += kShards) {
    Source source = readSource(files[i]).value();
    std::ranges::move(readHeaderFlags(source.text), std::back_inserter(source.flags));
    const fs::path reference = kCorpus / "problems" / (findProblem(source) + ".reference.cc");
    auto judge = Judge::open(readTask(reference, options).value(), options).value();
    const JudgeResult judged = judge.judge(source, 1).value();
    EXPECT_EQ(judged.outcome, model::Outcome::ok) << source.name << ": " << judged.message << "\n"
                                                  << judged.diagnostics;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HonestShard, testing::Range(std::size_t{0}, kShards));

}  // namespace
}  // namespace hone::kernel
