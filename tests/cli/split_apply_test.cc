// Turns existing results into a patch of the compiler's source, without measuring.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "tests/cli/cli.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SplitApply : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(box_.work() / "gpu_results");
    fs::create_directories(box_.work() / "iree/deep");
    writeSweep();
    ASSERT_EQ(box_.hone({"split", "analyze"}).code, 0);
    ASSERT_TRUE(shell("git init -q iree"));
  }

  /// Writes results in which large outputs need few parts, small ones many, unlike the default.
  void writeSweep() const {
    for (const std::string limit : {"baseline", "nosplit", "1", "8", "128"}) {
      std::string text = "arguments,iree_boo_experimental mean\n";
      for (int i = 0; i < 12; ++i) {
        const bool small = i < 6;
        const int channels = small ? 8 + i : 200 + 20 * i;
        const bool best = limit == (small ? "128" : "8");
        text +=
            fmt::format("convbfp16 -n 16 -c {0} -H 48 -W 32 -k {0} -y 3 -x 3 -p 1 -q 1 -F 4,{1}\n",
                        channels, best ? 100 : 400 + i);
      }
      box_.write(fmt::format("gpu_results/limit_{}_prod.csv", limit), text);
    }
  }
  /// Writes a validation in which the first shape takes this many times its baseline, the others
  /// `others` times.
  void writeValidation(double first, double others) const {
    std::string text = "arguments,iree_boo_experimental mean\n";
    for (int i = 0; i < 12; ++i) {
      const int channels = i < 6 ? 8 + i : 200 + 20 * i;
      text +=
          fmt::format("convbfp16 -n 16 -c {0} -H 48 -W 32 -k {0} -y 3 -x 3 -p 1 -q 1 -F 4,{1}\n",
                      channels, (400 + i) * (i == 0 ? first : others));
    }
    box_.write("gpu_results/optimized_config_prod.csv", text);
  }
  [[nodiscard]] CommandResult analyzeAndApply(const std::vector<std::string>& more = {}) {
    const CommandResult analyzed = box_.hone({"split", "analyze"});
    EXPECT_EQ(analyzed.out.contains("next: hone split apply"),
              !analyzed.out.contains("keep the compiler's code: "));
    std::vector<std::string> command = {"split", "apply",      "--source", "iree/deep/Sizes.cpp",
                                        "-o",    "split.patch"};
    command.insert(command.end(), more.begin(), more.end());
    return box_.hone(command);
  }
  void takeSource(const std::string& form) const {
    fs::copy_file(sourceFolder() / "src/split/source/testdata" / (form + "_form.cpp"), source(),
                  fs::copy_options::overwrite_existing);
  }
  [[nodiscard]] fs::path source() const { return box_.work() / "iree/deep/Sizes.cpp"; }
  [[nodiscard]] bool shell(const std::string& command) const {
    const auto ran =
        runCommand({{"/bin/sh", "-c", "cd \"$0\" && " + command, box_.work()}, {}, {}});
    return ran && ran->ending.ok();
  }

  Sandbox box_;
};

TEST_F(SplitApply, WritesPatchForBothForms) {
  for (const std::string form : {"functions", "chain"}) {
    takeSource(form);
    const std::string before = readFile(source()).value();
    const CommandResult ran =
        box_.hone({"split", "apply", "--source", "iree/deep/Sizes.cpp", "-o", "split.patch"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("next: git apply split.patch"));
    EXPECT_EQ(readFile(source()).value(), before) << "the source is not modified";
    EXPECT_THAT(readFile(box_.work() / "split.patch").value(),
                HasSubstr("--- a/deep/Sizes.cpp\n+++ b/deep/Sizes.cpp\n"));
    EXPECT_TRUE(shell("git -C iree apply ../split.patch")) << form;
    EXPECT_THAT(readFile(source()).value(), AllOf(HasSubstr("128"), Not(testing::StrEq(before))));
    const CommandResult again = box_.hone({"split", "apply", "--source", "iree/deep/Sizes.cpp"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, "") << "the patch is already applied";
  }
}

TEST_F(SplitApply, WritesPatchForEveryPublicForm) {
  for (const std::string form : {"members", "chain", "products", "functions", "own"}) {
    takeSource(form);
    const CommandResult ran =
        box_.hone({"split", "apply", "--source", "iree/deep/Sizes.cpp", "-o", "split.patch"});
    ASSERT_EQ(ran.code, 0) << form << ran.err;
    EXPECT_THAT(readFile(box_.work() / "split.patch").value(),
                AllOf(HasSubstr("  // Fitted to 12 measured shapes."), Not(HasSubstr("(1, start"))))
        << form;
    EXPECT_EQ(ran.err.contains("early return on other properties"), form == "members");
  }
}

TEST_F(SplitApply, RefusesRegressionsUnlessForced) {
  takeSource("functions");
  writeValidation(1.5, 0.25);
  const CommandResult ran = analyzeAndApply();
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("no patch written: convolution: 1 shape regressed in the "
                                 "validation; keep the compiler's code, or use --force"));
  EXPECT_FALSE(fs::exists(box_.work() / "split.patch"));
  const CommandResult json = analyzeAndApply({"--json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(json.json().at("refusal"), "convolution: 1 shape regressed in the validation");
  const CommandResult forced = analyzeAndApply({"--force"});
  EXPECT_EQ(forced.code, 0) << forced.err;
  EXPECT_THAT(forced.out, HasSubstr("next: git apply split.patch"));
  EXPECT_TRUE(fs::exists(box_.work() / "split.patch"));
}

TEST_F(SplitApply, RefusesCodeWithoutGain) {
  takeSource("functions");
  writeValidation(1, 1);
  const CommandResult ran = analyzeAndApply();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("convolution: no shape improved in the validation"));
  EXPECT_FALSE(fs::exists(box_.work() / "split.patch"));
  writeValidation(1, 0.5);
  EXPECT_EQ(analyzeAndApply().code, 0);
  EXPECT_TRUE(fs::exists(box_.work() / "split.patch"));
}

TEST_F(SplitApply, RefusesPredictionsWithoutGain) {
  takeSource("functions");
  std::string baseline = readFile(box_.work() / "gpu_results/limit_baseline_prod.csv").value();
  for (std::size_t at = 0; (at = baseline.find("-F 4,4", at)) != std::string::npos; ++at) {
    baseline.replace(at, 8, "-F 4,90");
  }
  box_.write("gpu_results/limit_baseline_prod.csv", baseline);
  const CommandResult ran = analyzeAndApply();
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("convolution: no shape is predicted to improve"));
}

TEST_F(SplitApply, PrintsJson) {
  takeSource("functions");
  const CommandResult ran =
      box_.hone({"split", "apply", "--source", "iree/deep/Sizes.cpp", "--ladder", "1d", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json().at("form"), "functions");
  EXPECT_FALSE(ran.json().contains("refusal"));
  EXPECT_EQ(ran.json().at("kinds"), nlohmann::json({"convolution"}));
}

TEST_F(SplitApply, RejectsOtherFormWithLine) {
  box_.write("iree/deep/Sizes.cpp", "int main() {}\n");
  expectError(box_.hone({"split", "apply", "--source", "iree/deep/Sizes.cpp"}), 2,
              {"Sizes.cpp:1", "function", "not found"});
  expectError(box_.hone({"split", "apply", "--source", "iree/deep/none.cpp"}), 2, {"none.cpp"});
}

TEST_F(SplitApply, RejectsVersionWithoutLimit) {
  box_.write("iree/deep/Sizes.cpp",
             "std::optional<SmallVector<int64_t>>\n"
             "getWeightBackwardReductionSizes(Op op) const {\n  return std::nullopt;\n}\n");
  expectError(box_.hone({"split", "apply", "--source", "iree/deep/Sizes.cpp"}), 2,
              {"Sizes.cpp", "does not limit the parts of a convolution; nothing to patch"});
}

TEST_F(SplitApply, RejectsInvalidResults) {
  takeSource("functions");
  const std::vector<std::string> command = {
      "split", "apply", "--source", "iree/deep/Sizes.cpp", "--results", "gpu_results"};
  box_.write("gpu_results/recommendation.json", "{");
  expectError(box_.hone(command), 2, {"recommendation.json"});
  fs::remove(box_.work() / "gpu_results/recommendation.json");
  expectError(box_.hone(command), 2, {"recommendation.json", "hone split"});
}

}  // namespace
}  // namespace hone::test
