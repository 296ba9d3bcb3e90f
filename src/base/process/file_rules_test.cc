#include "base/process/file_rules.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process/subprocess.h"

namespace hone {
namespace {

class FileRulesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (FileRules::version() == 0) {
      GTEST_SKIP() << "no Landlock on this system";
    }
    ASSERT_TRUE(makeFolder(own_));
    ASSERT_TRUE(writeFile(folder_.path() / "secret", "secret\n"));
  }
  /// Runs a shell script that may read the system's programs and write below `own`.
  [[nodiscard]] Finished run(const std::string& script) const {
    const auto rules = FileRules::create(
        {.readable = {"/bin", "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/does/not/exist"},
         .writable = {own_, "/dev/null"}});
    Command command{.argv = {"/bin/sh", "-c", script}, .environment = {}, .limits = {}};
    command.rules = &*rules;
    return runCommand(command).value();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-rules").value();
  std::filesystem::path own_ = folder_.path() / "own";
};

TEST_F(FileRulesTest, AllowsOnlyNamedPlaces) {
  const std::string own = own_.string();
  EXPECT_EQ(run("cd " + own + " && echo a > f && cat f && mkdir d && rm f").out, "a\n");
  const Finished read = run("cat " + own + "/../secret");
  EXPECT_FALSE(read.ending.ok());
  EXPECT_EQ(read.out, "");
  EXPECT_FALSE(run("echo a > " + own + "/../new").ending.ok());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "new"));
  EXPECT_FALSE(run("ls " + own + "/..").ending.ok());
}

TEST_F(FileRulesTest, ExecutesOnlyNamedPrograms) {
  const auto program = folder_.path() / "program";
  std::filesystem::copy_file("/bin/true", program);
  EXPECT_FALSE(run(program.string()).ending.ok());
  EXPECT_TRUE(run("/bin/true").ending.ok());
}

TEST_F(FileRulesTest, FailsToStartProgramWithInvalidRules) {
  Command command{.argv = {"/bin/true"}, .environment = {}, .limits = {}};
  auto rules = FileRules::create({.readable = {"/"}, .writable = {}});
  const FileRules owner = *std::move(rules);
  command.rules = &*rules;  // NOLINT(bugprone-use-after-move): it has no descriptor any more
  EXPECT_FALSE(runCommand(command));
}

}  // namespace
}  // namespace hone
