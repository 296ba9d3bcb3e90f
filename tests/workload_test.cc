// Tests of `hone workload`: show, head, split and invalid lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kMixed =
    "# a detector\n"
    "convbfp16 -n 16 -c 96 -H 48 -W 32 -k 96 -y 3 -x 3 -p 1 -q 1 -F 4\n"
    "\n"
    "# its head\n"
    "gemm -m 128 -n 64 -k 1024\n"
    "attention_4x256x128x64_f16t_f16t_f16t\n"
    "matmul_64x32x128_f32t_f32t_f32t\n"
    "conv -n 2 -F 3  # both\n"
    "# the end\n";

class Workload : public testing::Test {
 protected:
  [[nodiscard]] CommandResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "workload");
    return box_.hone(arguments);
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    return readFile(box_.work() / name).value_or("");
  }
  void TearDown() override {
    EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
    EXPECT_FALSE(fs::exists(box_.store()));
  }

  Sandbox box_;
};

TEST_F(Workload, ShowPrintsTableWithTotals) {
  box_.write("w.txt", kMixed);
  const CommandResult ran = run({"show", "w.txt"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("   2  conv2d wrw"));
  EXPECT_THAT(ran.out, HasSubstr("82944      24576")) << "k c y x and n Ho Wo";
  EXPECT_THAT(ran.out, HasSubstr("\n6 problems of 5 lines, 6 different; 4.13 GFLOPs\n"
                                 "3 convolutions, 2 matmuls, 1 attention\n"));
  EXPECT_THAT(splitAt(ran.out, '\n'), Each(SizeIs(testing::Le(80))));
}

TEST_F(Workload, ShowPrintsJson) {
  box_.write("w.txt", kMixed);
  const nlohmann::json json = run({"show", "w.txt", "--json"}).json();
  EXPECT_EQ(json["file"], "w.txt");
  EXPECT_EQ(json["totals"]["problems"], 6);
  EXPECT_EQ(json["problems"][1]["line"], 5);
  EXPECT_EQ(json["problems"][1]["output_size"], 128 * 64);
  EXPECT_EQ(json["problems"][1]["reduction_size"], 1024);
  EXPECT_EQ(json["problems"][1]["flops"], 2.0 * 128 * 64 * 1024);
}

TEST_F(Workload, HeadKeepsTheCommentsBeforeItsLines) {
  box_.write("w.txt", kMixed);
  const CommandResult ran = run({"head", "w.txt", "2"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, std::string(kMixed).substr(0, std::string(kMixed).find("attention")));

  const CommandResult written = run({"head", "w.txt", "1", "-o", "deep/small.txt"});
  EXPECT_EQ(written.code, 0);
  EXPECT_EQ(written.out, "deep/small.txt: 1 line\n");
  EXPECT_EQ(text("deep/small.txt"),
            std::string(kMixed).substr(0, std::string(kMixed).find("\n\n") + 1));
}

TEST_F(Workload, HeadReportsShorterFile) {
  box_.write("w.txt", kMixed);
  const CommandResult ran = run({"head", "w.txt", "9"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "w.txt has only 5 lines with a problem\n");
  EXPECT_EQ(ran.out, std::string(kMixed).substr(0, std::string(kMixed).find("# the end")));
}

TEST_F(Workload, HeadRejectsOverwritingItsInput) {
  box_.write("w.txt", kMixed);
  expectError(run({"head", "w.txt", "1", "-o", "./w.txt"}), 2, {"w.txt is also an input"});
  EXPECT_EQ(text("w.txt"), kMixed);
}

TEST_F(Workload, HeadIgnoresLaterInvalidLines) {
  box_.write("w.txt", "gemm -m 1\npool\n");
  const CommandResult ran = run({"head", "w.txt", "1", "--strict"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "gemm -m 1\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(Workload, SplitWritesOneFilePerKind) {
  fs::create_directory(box_.work() / "in");
  box_.write("in/all.ops.txt", kMixed);
  const CommandResult ran = run({"split", "in/all.ops.txt"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "in/all.ops_conv.txt: 2 lines\nin/all.ops_matmul.txt: 1 line\n");
  EXPECT_EQ(text("in/all.ops_conv.txt"),
            "# a detector\n"
            "convbfp16 -n 16 -c 96 -H 48 -W 32 -k 96 -y 3 -x 3 -p 1 -q 1 -F 4\n"
            "conv -n 2 -F 3  # both\n");
  EXPECT_EQ(text("in/all.ops_matmul.txt"), "\n# its head\ngemm -m 128 -n 64 -k 1024\n");
  EXPECT_THAT(splitAt(ran.err, '\n'),
              testing::ElementsAre(AllOf(HasSubstr("in/all.ops.txt:6: skipped 'attention_"),
                                         HasSubstr("hone profile accepts it")),
                                   AllOf(HasSubstr("in/all.ops.txt:7: skipped 'matmul_64x32x128_"),
                                         HasSubstr("use gemm -m 64 -n 32 -k 128 -u 0 -v 0")),
                                   ""));
}

TEST_F(Workload, SplitWritesPointwiseConvolutionsToMatmuls) {
  box_.write("w.txt",
             "conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 1 -x 1 -F 4\n"
             "conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 3 -x 3 -F 4\n"
             "conv -n 4 -c 8 -H 3 -W 3 -k 16 -y 3 -x 3 -F 3\n");
  EXPECT_EQ(run({"split", "w.txt"}).code, 0);
  EXPECT_EQ(text("w_matmul.txt"), "conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 1 -x 1 -F 4\n");
  EXPECT_EQ(text("w_conv.txt"),
            "conv -n 4 -c 8 -H 20 -W 20 -k 16 -y 3 -x 3 -F 4\n"
            "conv -n 4 -c 8 -H 3 -W 3 -k 16 -y 3 -x 3 -F 3\n")
      << "backward data of the last one is a convolution, forward is a matmul";
}

TEST_F(Workload, SplitWritesToFolderAndSkipsEmptyKind) {
  box_.write("w.txt", "gemm -m 1\n");
  const CommandResult ran = run({"split", "w.txt", "-o", "parts", "--json"});
  EXPECT_EQ(ran.json(), nlohmann::json::array(
                            {{{"kind", "conv"}, {"file", "parts/w_conv.txt"}, {"lines", 0}},
                             {{"kind", "matmul"}, {"file", "parts/w_matmul.txt"}, {"lines", 1}}}));
  EXPECT_EQ(text("parts/w_matmul.txt"), "gemm -m 1\n");
  EXPECT_FALSE(fs::exists(box_.work() / "parts/w_conv.txt"));
  EXPECT_THAT(run({"split", "w.txt"}).out, HasSubstr("w_conv.txt: no lines; not written\n"));

  box_.write("names.txt", "matmul_64x32x128_f32t_f32t_f32t\n");
  const CommandResult names = run({"split", "names.txt"});
  EXPECT_EQ(names.code, 2);
  EXPECT_THAT(names.err, HasSubstr("hone: names.txt: no conv or gemm command found"));
  expectError(run({"split", "w.txt", "-o", "names.txt"}), 2, {"names.txt is a file, not a folder"});
}

TEST_F(Workload, AcceptsWindowsLineEndings) {
  box_.write("w.txt", "\xef\xbb\xbf# mine\r\n\r\ngemm -m 5\r\nconv -F 1\r\n");
  EXPECT_EQ(run({"head", "w.txt", "1", "--strict"}).out, "# mine\n\ngemm -m 5\n");
  EXPECT_EQ(run({"split", "w.txt", "--strict"}).code, 0);
  EXPECT_EQ(text("w_conv.txt"), "conv -F 1\n");
  EXPECT_EQ(run({"show", "w.txt", "--strict", "--json"}).json()["problems"][1]["line"], 4);
}

/// Invalid lines are reported, skipped and counted; with --strict they are errors.
TEST_F(Workload, ReportsAndSkipsInvalidLines) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> bad = {
      {"pool -n 1", {"unknown command 'pool'; use one of conv, "}},
      {"conv -n 0", {"n must be at least 1, got 0; correct"}},
      {"conv -H 2 -W 2 -y 5 -x 5", {"output is empty", "5x5 filter", "; correct"}},
      {"gemm -m 0", {"m must be at least 1, got 0"}},
      {"conv -n two", {"-n: expected an integer, got 'two'; correct"}}};
  for (const auto& [line, says] : bad) {
    SCOPED_TRACE(line);
    box_.write("w.txt", "# mine\ngemm -m 7\n" + line + "\ngemm -m 8\n");
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"show", "w.txt"}, {"head", "w.txt", "9"}, {"split", "w.txt"}}) {
      const CommandResult ran = run(verb);
      EXPECT_EQ(ran.code, 0);
      EXPECT_THAT(ran.err, testing::StartsWith("w.txt:3: "));
      EXPECT_THAT(ran.err, HasSubstr("w.txt: skipped 1 line"));
      for (const std::string& part : says) {
        EXPECT_THAT(ran.err, HasSubstr(part));
      }
      std::vector<std::string> strict = verb;
      strict.emplace_back("--strict");
      std::vector<std::string> all = says;
      all.emplace_back("w.txt:3: ");
      expectError(run(strict), 2, all);
    }
    EXPECT_EQ(text("w_matmul.txt"), "# mine\ngemm -m 7\ngemm -m 8\n");
  }
}

TEST_F(Workload, RejectsFilesWithoutProblem) {
  box_.write("empty.txt", "");
  box_.write("comments.txt", "# mine\n\n");
  box_.write("bad.txt", "pool\nfold\n");
  fs::create_directory(box_.work() / "folder");
  for (const char* verb : {"show", "split"}) {
    expectError(run({verb, "empty.txt"}), 2, {"empty.txt is empty; expected one command"});
    expectError(run({verb, "comments.txt"}), 2, {"comments.txt has only blank lines and comments"});
    expectError(run({verb, "missing.txt"}), 2, {"missing.txt", "No such file"});
    expectError(run({verb, "folder"}), 2, {"folder is a folder"});
    const CommandResult ran = run({verb, "bad.txt"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("bad.txt:1: "), HasSubstr("bad.txt:2: "),
                               HasSubstr("hone: bad.txt: no valid line found")));
  }
  expectError(run({"head", "empty.txt", "1"}), 2, {"empty.txt is empty"});
}

TEST_F(Workload, RejectsInvalidCommandLine) {
  box_.write("w.txt", kMixed);
  expectError(run({}), 2, {"expected a command", "hone workload --help"});
  expectError(run({"polish"}), 2, {"unknown command 'polish'"});
  expectError(run({"show"}), 2, {"FILE"});
  expectError(run({"head", "w.txt"}), 2, {"N"});
  expectError(run({"head", "w.txt", "0"}), 2, {"0"});
  expectError(run({"head", "w.txt", "many"}), 2, {"many"});
}

TEST_F(Workload, HandlesTenThousandLines) {
  std::string text;
  for (int i = 1; i <= 10'000; ++i) {
    text += i % 100 == 0 ? fmt::format("conv -n 0 -k {}\n", i)
                         : fmt::format("convbfp16 -n 16 -c 96 -H 48 -W 32 -k {} -F 4\n", i);
  }
  box_.write("w.txt", text);
  const CommandResult shown = run({"show", "w.txt"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.out, HasSubstr("9900 problems of 9900 lines, 9900 different"));
  EXPECT_THAT(shown.err, HasSubstr("w.txt: skipped 100 lines"));
  EXPECT_EQ(run({"split", "w.txt"}).out,
            "w_conv.txt: 9900 lines\nw_matmul.txt: no lines; not written\n");
  EXPECT_EQ(run({"head", "w.txt", "5000", "-o", "half.txt"}).out, "half.txt: 5000 lines\n");
}

}  // namespace
}  // namespace hone::test
