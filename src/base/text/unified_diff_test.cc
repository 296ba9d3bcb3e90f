#include "base/text/unified_diff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

/// Runs `script` in `folder`; returns its output if it failed, "" otherwise.
std::string runScript(const fs::path& folder, const std::string& script) {
  const auto finished =
      runCommand({.argv = {"/bin/sh", "-c", "cd \"$0\" && eval \"$1\"", folder, script},
                  .environment = {},
                  .limits = {}});
  if (!finished) {
    return finished.error().message;
  }
  return finished->ending.ok() ? "" : finished->out + finished->err + finished->ending.describe();
}

/// Applies a patch, independently of git and patch.
std::string applyPatch(const std::string& before, const std::string& patch) {
  auto lines = splitAt(before, '\n');
  std::string out;
  std::size_t at = 0;  // consumed lines of `before`
  const auto copyTo = [&](std::size_t end) {
    for (; at < end; ++at) {
      out += lines[at] + (at + 1 < lines.size() ? "\n" : "");
    }
  };
  const auto parts = splitAt(patch, '\n');
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const std::string& line = parts[i];
    const bool bare = i + 1 < parts.size() && parts[i + 1].starts_with("\\");
    if (line.starts_with("@@")) {
      const auto numbers = splitAt(line.substr(4, line.find(' ', 4) - 4), ',');
      const auto first = static_cast<std::size_t>(parseInt(numbers[0]).value());
      copyTo(numbers[1] == "0" ? first : first - 1);
    } else if (line.starts_with("+")) {
      out += line.substr(1) + (bare ? "" : "\n");
    } else if (line.starts_with("-") || line.starts_with(" ")) {
      RC_ASSERT(lines.at(at) == line.substr(1));
      if (line[0] == ' ') {
        out += line.substr(1) + (bare ? "" : "\n");
      }
      ++at;
    }
  }
  copyTo(lines.size());
  return out;
}

/// Generates texts from few distinct lines so that they overlap, with and without a last line end.
rc::Gen<std::string> genText() {
  const auto line =
      rc::gen::element<std::string>("a\n", "b\n", "c\n", "\n", "d\r\n", "-x\n", "+y\n", "@@ z\n");
  return rc::gen::map(rc::gen::pair(rc::gen::container<std::vector<std::string>>(line),
                                    rc::gen::element<std::string>("", "", "end", "\r")),
                      [](const auto& parts) { return join(parts.first, "") + parts.second; });
}

class UnifiedDiff : public testing::Test {
 protected:
  /// Expects that git and patch both turn `before` into `after`.
  void expectApplies(const std::string& name, const std::string& before, const std::string& after) {
    const fs::path file = folder() / name;
    const std::string patch = unifiedDiff(before, after, patchPath(file));
    ASSERT_TRUE(writeFile(file, before));
    ASSERT_TRUE(writeFile(folder() / "x.patch", patch));
    EXPECT_EQ(runScript(folder(), "git apply --check x.patch && git apply x.patch"), "") << patch;
    EXPECT_EQ(readFile(file).value(), after) << patch;
    if (!findProgram("patch").empty()) {
      ASSERT_TRUE(writeFile(file, before));
      EXPECT_EQ(runScript(folder(), "patch --binary -p1 < x.patch"), "") << patch;
      EXPECT_EQ(readFile(file).value(), after) << patch;
    }
  }
  [[nodiscard]] const fs::path& folder() const { return scratch_.path(); }
  void SetUp() override { ASSERT_EQ(runScript(folder(), "git init -q ."), ""); }

 private:
  ScratchFolder scratch_ = ScratchFolder::create("hone-diff-test").value();
};

std::string numbered(int count, int changed = 0) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    text += i == changed ? "changed\n" : fmt::format("line {}\n", i);
  }
  return text;
}

TEST(UnifiedDiffText, HasThreeLinesOfContext) {
  EXPECT_EQ(unifiedDiff(numbered(9), numbered(9, 5), "f.txt"),
            "--- a/f.txt\n+++ b/f.txt\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n"
            "+changed\n line 6\n line 7\n line 8\n");
  EXPECT_EQ(unifiedDiff("a\n", "a\n", "f"), "");
}

TEST(UnifiedDiffText, MarksMissingNewlineAtEnd) {
  EXPECT_EQ(unifiedDiff("a\nb", "a\nb\n", "f"),
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

TEST(UnifiedDiffText, ReplacesUnrelatedTextsAsWhole) {
  std::string before;
  std::string after;
  for (int i = 0; i < 20000; ++i) {
    before += fmt::format("a{}\n", i);
    after += fmt::format("b{}\n", i);
  }
  EXPECT_EQ(applyPatch(before, unifiedDiff(before, after, "f")), after);
}

RC_GTEST_PROP(UnifiedDiffText, TransformsFirstIntoSecond, ()) {
  const std::string before = *genText();
  const std::string after = *genText();
  const std::string patch = unifiedDiff(before, after, "f");
  RC_ASSERT(patch.empty() == (before == after));
  if (!patch.empty()) {
    RC_ASSERT(applyPatch(before, patch) == after);
  }
}

TEST_F(UnifiedDiff, AppliesWithGitAndPatch) {
  expectApplies("plain.txt", numbered(40), numbered(40, 20));
  expectApplies("both ends.txt", "first\n" + numbered(30), numbered(30) + "last\n");
  expectApplies("no end.txt", numbered(5) + "end", numbered(5, 5) + "other end");
  expectApplies("crlf.txt", "a\r\nb\r\nc\r\n", "a\r\nB\r\nB2\r\nc\r\n");
  expectApplies("far.txt", numbered(60, 3) + "x\n", numbered(60, 50) + "x\n");
}

TEST_F(UnifiedDiff, AppliesWithGitForRandomTexts) {
  EXPECT_TRUE(rc::check("git apply transforms the first text into the second", [&] {
    const std::string before = "top\n" + *genText();
    const std::string after = "top\n" + *genText();
    RC_PRE(before != after);
    RC_ASSERT(writeFile(folder() / "f", before).has_value());
    RC_ASSERT(writeFile(folder() / "x.patch", unifiedDiff(before, after, "f")).has_value());
    RC_ASSERT(runScript(folder(), "git apply x.patch") == "");
    RC_ASSERT(readFile(folder() / "f").value() == after);
  }));
}

TEST_F(UnifiedDiff, PathIsRelativeToWorkTree) {
  fs::create_directories(folder() / "a/b");
  ASSERT_TRUE(writeFile(folder() / "a/b/f.cpp", ""));
  EXPECT_EQ(patchPath(folder() / "a/b/f.cpp"), "a/b/f.cpp");
  EXPECT_EQ(patchPath(folder() / "a/../a/b/f.cpp"), "a/b/f.cpp");
  fs::create_directories(folder() / "inner");
  ASSERT_TRUE(writeFile(folder() / "inner/.git", "gitdir: elsewhere\n"));
  EXPECT_EQ(patchPath(folder() / "inner/g.cpp"), "g.cpp");
  fs::create_directory_symlink(folder() / "a", folder() / "link");
  EXPECT_EQ(patchPath(folder() / "link/b/f.cpp"), "a/b/f.cpp");
}

TEST(PatchPath, IsFileNameOutsideGit) {
  const auto scratch = ScratchFolder::create("hone-diff-test").value();
  EXPECT_EQ(patchPath(scratch.path() / "a/f.cpp"), "f.cpp");
}

}  // namespace
}  // namespace hone
