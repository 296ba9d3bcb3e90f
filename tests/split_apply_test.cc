// `hone split apply` by itself: its options, what it reads and the patch it gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/split_source.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "split/source_form.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using model::ReductionKind;
using split::SourceForm;
using testing::HasSubstr;
using testing::SizeIs;

nlohmann::json heuristic(const char* kind, const char* form, const char* ladder, int limit) {
  return {
      {"kind", kind},
      {"form", form},
      {"large_parallel", 1000},
      {"small_reduction", 2000},
      {"ratio", 30},
      {"bands", {{{"output_below", 4096}, {"steps", nlohmann::json::array()}, {"limit", limit}}}},
      {"cap", 16},
      {"ladder", ladder}};
}

class SplitApply : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path data = fs::path(HONE_SOURCE_DIR) / "src/split/testdata";
    fs::create_directories(folder() / "deep/er");
    fs::copy(data / "functions_form.cpp", source());
    ASSERT_TRUE(runCommand(
        {.argv = {findProgram("git"), "init", "-q", folder()}, .environment = {}, .limits = {}}));
    write({{"heuristics",
            {heuristic("matmul", "functions", "2d", 64), heuristic("matmul", "functions", "1d", 32),
             heuristic("convolution", "functions", "1d", 32),
             heuristic("matmul", "chain", "1d", 8)}}});
  }
  void write(const nlohmann::json& json) const {
    ASSERT_TRUE(writeFile(folder() / "recommendation.json", json.dump()));
  }
  [[nodiscard]] const fs::path& folder() const { return scratch_.path(); }
  [[nodiscard]] fs::path source() const { return folder() / "deep/er/Sizes.cpp"; }
  [[nodiscard]] std::string recommendation() const { return folder() / "recommendation.json"; }

  /// Runs the verb; what it printed.
  Result<std::string> apply(std::vector<std::string> arguments) {
    CLI::App app;
    Context context;
    context.json = json_;
    addSplitApply(app, context);
    arguments.insert(arguments.begin(), {"apply", "--source", source()});
    std::ranges::reverse(arguments);
    app.parse(arguments);
    testing::internal::CaptureStdout();
    const auto code = context.action();
    static_cast<void>(std::fflush(stdout));
    std::string out = testing::internal::GetCapturedStdout();
    if (!code) {
      return std::unexpected(code.error());
    }
    EXPECT_EQ(*code, 0);
    return out;
  }

  bool json_ = false;

 private:
  ScratchFolder scratch_ = ScratchFolder::create("hone-apply-test").value();
};

TEST_F(SplitApply, GivesAPatchThatGitApplies) {
  const std::string before = readFile(source()).value();
  const std::string patch = apply({recommendation(), "--ladder", "1d"}).value();
  EXPECT_THAT(patch, HasSubstr("--- a/deep/er/Sizes.cpp\n+++ b/deep/er/Sizes.cpp\n"));
  EXPECT_EQ(readFile(source()).value(), before);
  ASSERT_TRUE(writeFile(folder() / "x.patch", patch));
  const auto applied =
      runCommand({.argv = {"/bin/sh", "-c", "cd \"$0\" && git apply x.patch", folder()},
                  .environment = {},
                  .limits = {}});
  ASSERT_TRUE(applied && applied->ending.ok()) << applied->err;
  const std::string after = readFile(source()).value();
  for (const auto kind : {ReductionKind::convolution, ReductionKind::matmul}) {
    const auto found = split::heuristicIn(split::readSource(after, "f").value(), kind).value();
    EXPECT_EQ(found.returns, (split::EarlyReturns{1000, 2000, 30}));
    EXPECT_EQ(found.ladder, (split::Ladder{{{4096, {}, 32}}, 16}));
  }
  EXPECT_EQ(apply({recommendation(), "--ladder", "1d"}).value(), "");
}

TEST_F(SplitApply, WritesThePatchToAFile) {
  const std::string file = folder() / "out.patch";
  const std::string said = apply({"--results", folder(), "-o", file}).value();
  EXPECT_THAT(said, HasSubstr("next: git apply " + file));
  EXPECT_THAT(readFile(file).value(), HasSubstr("+    return 64;\n"));  // the 2d one
}

TEST_F(SplitApply, SaysItAsJson) {
  json_ = true;
  const auto json = nlohmann::json::parse(apply({recommendation()}).value());
  EXPECT_EQ(json["form"], "functions");
  EXPECT_EQ(json["kinds"], nlohmann::json({"matmul"}));
  EXPECT_THAT(json["patch"].get<std::string>(), HasSubstr("+    return 64;\n"));
}

TEST_F(SplitApply, ReadsTheHeuristicsForTheForm) {
  EXPECT_THAT(readHeuristics(recommendation(), SourceForm::functions, "1d").value(), SizeIs(2));
  const auto chain = readHeuristics(recommendation(), SourceForm::chain, "1d").value();
  ASSERT_THAT(chain, SizeIs(1));
  EXPECT_EQ(chain[0].ladder.bands[0].limit, 8);
  EXPECT_THAT(readHeuristics(recommendation(), SourceForm::chain, "2d").error().message,
              HasSubstr("has no heuristics with a 2d ladder for the form 'chain'"));
}

TEST_F(SplitApply, SaysWhatIsWrongWithTheInput) {
  const auto errorOf = [&](const std::vector<std::string>& arguments) {
    const auto result = apply(arguments);
    return result ? "" : result.error().message;
  };
  EXPECT_THAT(errorOf({}), HasSubstr("give either recommendation.json or --results"));
  EXPECT_THAT(errorOf({recommendation(), "--results", "x"}), HasSubstr("give either"));
  EXPECT_THAT(errorOf({folder() / "none.json"}), HasSubstr("cannot read "));
  write({{"heuristics", {{{"kind", "matmul"}}}}});
  EXPECT_THAT(errorOf({recommendation()}), HasSubstr("recommendation.json: heuristic: 'form' is"));
  write({1, 2});
  EXPECT_THAT(errorOf({recommendation()}), HasSubstr("has no list 'heuristics'"));
  ASSERT_TRUE(writeFile(recommendation(), "{"));
  EXPECT_THAT(errorOf({recommendation()}), HasSubstr("is not JSON"));
  ASSERT_TRUE(writeFile(source(), "int main() {}\n"));
  EXPECT_THAT(errorOf({recommendation()}), HasSubstr("Sizes.cpp:1: the function"));
}

}  // namespace
}  // namespace hone::app
