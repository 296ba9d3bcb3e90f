#include "model/workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "model/problem/test_problems.h"
#include "model/workload/miopen.h"

namespace hone::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kGemm = "gemm -m 128 -n 1 -k 1024 -u 0 -v 0";

TEST(Workload, ParsesCommentsBlanksAndDriverNames) {
  const std::string text =
      "\xef\xbb\xbf# convolutions of a detector\r\n"
      "\r\n"
      "  convbfp16 -n 16 -c 96\t-H 48 -W 32 -k 96 -y 3 -x 3 -p 1 -q 1 -F 1  \r\n"
      "\tMIOpenDriver gemm -m 128 -n 1 -k 1024 -u 0 -v 0\r\n"
      "./bin/MIOpenDriver conv -n 2 -F 3   # both\n"
      "iree-boo-driver convfp16 -n 2 -c 8 -k 8 -g 8 -F 4\n"
      "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 4 -F 1 -t 1";
  const Workload workload = parseWorkload(text, "detector.txt");
  EXPECT_THAT(workload.badLines, IsEmpty());
  ASSERT_THAT(workload.entries, SizeIs(6));
  EXPECT_EQ(workload.entries[0].line,
            (WorkloadLine{"detector.txt", 3,
                          "convbfp16 -n 16 -c 96\t-H 48 -W 32 -k 96 -y 3 -x 3 -p 1 -q 1 -F 1"}));
  EXPECT_EQ(nameOf(workload.entries[1].problem), "matmul_128x1x1024_f32");
  EXPECT_EQ(workload.entries[2].line, workload.entries[3].line);
  EXPECT_EQ(workload.entries[2].line.number, 5);
  EXPECT_THAT(nameOf(workload.entries[4].problem), HasSubstr("wrw"));
  EXPECT_THAT(nameOf(workload.entries[5].problem), HasSubstr("4x3x32x32"));
  EXPECT_EQ(workload.entries[5].line.number, 7);
}

TEST(Workload, AcceptsLineEndsOfAnySystem) {
  EXPECT_THAT(workloadLines("\xef\xbb\xbf# a\r\n\r\n  conv -n 2 \t\r\ngemm"),
              ElementsAre("# a", "", "conv -n 2", "gemm"));
  EXPECT_THAT(workloadLines("a\n"), ElementsAre("a"));
  EXPECT_THAT(workloadLines("a\n\n"), ElementsAre("a", ""));
  EXPECT_THAT(workloadLines(""), IsEmpty());
}

TEST(Workload, FindsCommandOfLine) {
  EXPECT_EQ(extractCommand("  convfp16 -n 2 --in_layout NHWC"), "convfp16");
  EXPECT_EQ(extractCommand("MIOpen(HIP): Command [X] ./bin/MIOpenDriver gemm -m 1"), "gemm");
  EXPECT_EQ(extractCommand("matmul_1x2x3_f32t_f32t_f32t # a name"), "matmul_1x2x3_f32t_f32t_f32t");
  for (const char* line : {"", "  ", "# conv", "iree-boo-driver"}) {
    EXPECT_EQ(extractCommand(line), "") << line;
  }
}

TEST(Workload, ParsesLinesOfRealFiles) {
  for (const std::string_view line :
       {"convbfp16 -n 8 -c 40 -H 36 -W 24 -k 80 -y 1 -x 1 -p 0 -q 0 -u 1 -v 1 -l 1 -j 1 -m conv -g "
        "1 -F 2 -t 1 --iter 100 --in_layout NHWC --out_layout NHWC --fil_layout NHWC",
        "convbfp16 -n 64 -c 192 -H 20 -W 44 -k 192 -y 1 -x 3 -p 0 -q 1 -u 1 -v 1 -l 1 -j 1 -m conv "
        "-g 3 -F 1 -t 1 --iter 100 --in_layout NHWC --out_layout NHWC --fil_layout NHWC",
        "convbfp16 -n 8 -c 4 -H 120 -W 1 -k 96 -y 4 -x 1 -p 0 -q 0 -u 4 -v 1 -l 1 -j 1 -m conv -g "
        "1 -F 4 -t 1 --iter 100 --in_layout NHWC --out_layout NHWC --fil_layout NHWC",
        "convbfp16 -n 8 -c 72 -H 24 -W 16 -k 72 -y 3 -x 3 -p 4 -q 4 -u 1 -v 1 -l 4 -j 4 -m conv -g "
        "1 -F 4 -t 1 --iter 100 --in_layout NHWC --out_layout NHWC --fil_layout NHWC",
        "convfp16 -n 32 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -l 1 -j 1 -m conv -g "
        "1 -F 1 -t 1",
        "conv -n 1 -c 32 -H 112 -W 112 -k 32 -y 3 -x 3 -p 1 -q 1 -g 32 -F 1",
        "gemm -m 1760 -n 16 -k 1760 -u 1 -v 0", "gemmfp16 -m 512 -n 8 -k 500000 -u 0 -v 1"}) {
    const auto problems = problemsFromLine(line);
    EXPECT_TRUE(problems && problems->size() == 1) << line;
  }
}

TEST(Workload, ReportsBadLinesAndKeepsOthers) {
  const std::string text = fmt::format("{0}\nconv -n zero\n\npool\n{0}\nMIOpenDriver\n", kGemm);
  const Workload workload = parseWorkload(text, "mine/all.txt");
  EXPECT_THAT(workload.entries, SizeIs(2));
  ASSERT_THAT(workload.badLines, SizeIs(3));
  EXPECT_EQ(workload.badLines[0].error.message,
            "mine/all.txt:2: -n: expected an integer, got 'zero'; correct the value");
  EXPECT_EQ(workload.badLines[0].line, (WorkloadLine{"mine/all.txt", 2, "conv -n zero"}));
  EXPECT_THAT(workload.badLines[1].error.message, StartsWith("mine/all.txt:4: unknown command"));
  EXPECT_THAT(workload.badLines[2].error.message, StartsWith("mine/all.txt:6: no command"));
}

TEST(Workload, UniqueProblemsKeepAllLines) {
  const std::string text =
      fmt::format("{}\nconv -F 3\ngemm -k 1024 -m 128 -n 1\nconv -F 2\n", kGemm);
  const auto unique = uniqueProblems(parseWorkload(text, "w").entries);
  ASSERT_THAT(unique, SizeIs(3));
  EXPECT_THAT(unique[0].lines, ElementsAre(WorkloadLine{"w", 1, std::string(kGemm)},
                                           WorkloadLine{"w", 3, "gemm -k 1024 -m 128 -n 1"}));
  EXPECT_THAT(unique[1].lines, SizeIs(1));
  EXPECT_THAT(unique[2].lines, SizeIs(2));
}

TEST(Workload, ReadsAFile) {
  const ScratchFolder folder = ScratchFolder::create().value();
  const auto file = folder.path() / "w.txt";
  ASSERT_TRUE(writeFile(file, kGemm));
  const auto workload = readWorkload(file);
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->entries.at(0).line.file, file.string());
  EXPECT_FALSE(readWorkload(folder.path() / "none.txt"));
}

/// Generates bytes that often form lines, options and values.
rc::Gen<std::string> anyText() {
  const auto piece = rc::gen::oneOf(
      rc::gen::string<std::string>(),
      rc::gen::element<std::string>("conv", "gemm", "aten::mm ", "\"[[2, 3], [3, 4]]\" ",
                                    "'['float']'", "convfp16", " -n ", " -F ", "\n", "\r\n", " 16 ",
                                    "-", "--", "=", "#", "--in_layout", "NHWC", "MIOpenDriver ",
                                    "9223372036854775807", "-m", " -g 7 ", "\t", "\0"));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& one : pieces) {
                          text += one;
                        }
                        return text;
                      });
}

RC_GTEST_PROP(Workload, ParsesOrNamesAnyBytes, ()) {
  const std::string text = *anyText();
  const Workload workload = parseWorkload(text, "f");
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  for (const BadLine& bad : workload.badLines) {
    RC_ASSERT(bad.line.number >= 1);
    RC_ASSERT(bad.line.number <= lines);
    RC_ASSERT(bad.error.message.starts_with(fmt::format("f:{}: ", bad.line.number)));
    RC_ASSERT(bad.error.message.contains("; "));
    RC_ASSERT(bad.error.fault == Fault::user);
  }
  for (const WorkloadEntry& entry : workload.entries) {
    RC_ASSERT(check(entry.problem).has_value());
    RC_ASSERT(text.contains(entry.line.text));
  }
}

RC_GTEST_PROP(Workload, FindsEveryProblemAtItsLine, ()) {
  const auto problems = *rc::gen::container<std::vector<Problem>>(anyProblem());
  std::string text;
  for (const Problem& problem : problems) {
    text += formatCommandLine(problem) + "\n";
  }
  const Workload workload = parseWorkload(text, "f");
  RC_ASSERT(workload.badLines.empty());
  RC_ASSERT(workload.entries.size() == problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    RC_ASSERT(workload.entries[i].problem == problems[i]);
    RC_ASSERT(workload.entries[i].line.number == static_cast<std::int64_t>(i) + 1);
  }
}

}  // namespace
}  // namespace hone::model
