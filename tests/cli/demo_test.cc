// Tests scripts/demo with a fake hone that records its arguments.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class Demo : public testing::Test {
 protected:
  /// `body` is bash; "$1" is the command. Runs are numbered as in a new store.
  [[nodiscard]] Finished demo(const std::string& body) const {
    const fs::path program = folder_.path() / "hone";
    const std::string script = fmt::format(
        "#!/usr/bin/env bash\n"
        "echo \"$*\" >> '{}'\n"
        "case $1 in\n"
        "  profile|split|tune|kernel) echo run >> \"$HONE_STORE\" ;;\n"
        "  runs) echo '[ {{ \"id\": '$(wc -l < \"$HONE_STORE\")', \"x\": 1 }} ]' ;;\n"
        "esac\n{}\n",
        asked().string(), body);
    EXPECT_TRUE(writeFile(program, script));
    EXPECT_EQ(::chmod(program.c_str(), 0755), 0);
    return runCommand({{sourceFolder() / "scripts/demo", program.string(),
                        (folder_.path() / "out").string()},
                       {},
                       {std::chrono::minutes(5), 0}})
        .value();
  }
  [[nodiscard]] fs::path asked() const { return folder_.path() / "asked"; }
  [[nodiscard]] std::string lastAsked() const {
    return splitAt(trim(readFile(asked()).value()), '\n').back();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-demo-test").value();
};

TEST_F(Demo, ReportsItsRunsAfterInterruptedDemo) {
  const Finished broken = demo("[[ $1 != split ]] || exit 130");
  EXPECT_FALSE(broken.ending.ok());
  EXPECT_THAT(lastAsked(), HasSubstr("split")) << "it stops";
  const Finished whole = demo("[[ $1 != split ]] || exit 1; [[ $1 != report ]] || echo the end");
  EXPECT_TRUE(whole.ending.ok()) << whole.err;
  const bool hasModel = whole.out.contains("Model: tune");
  EXPECT_NE(hasModel, whole.out.contains("Model: skipped"));
  EXPECT_EQ(lastAsked(), fmt::format("report 1 2 3 4{} -o {}/out/report.html", hasModel ? " 5" : "",
                                     folder_.path().string()))
      << "not the runs of the earlier demo";
  EXPECT_THAT(whole.out, AllOf(HasSubstr("Summary after"), EndsWith("the end\n")));
  EXPECT_THAT(whole.out, Not(HasSubstr("\033"))) << "stdout is not a terminal";
}

}  // namespace
}  // namespace hone::test
