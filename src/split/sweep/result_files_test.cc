#include "split/sweep/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "split/sweep/result_reader.h"
#include "split/sweep/test_sweeps.h"

namespace hone::split {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kConv =
    "convbfp16 -n 16 -c 96 -H 48 -W 32 -k 288 -y 3 -x 3 -p 1 -q 1 -F 4";
constexpr std::string_view kGemm = "gemm -m 64 -n 32 -k 65536";

class ResultFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(writeFile(folder() / name, text));
  }
  [[nodiscard]] std::filesystem::path folder() const { return scratch_.path(); }

 private:
  ScratchFolder scratch_ = ScratchFolder::create().value();
};

/// Changes the working folder for the duration of a test.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::filesystem::path& folder)
      : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  WorkingFolder(WorkingFolder&&) = delete;
  WorkingFolder& operator=(WorkingFolder&&) = delete;
  ~WorkingFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
  }

 private:
  std::filesystem::path before_;
};

TEST_F(ResultFiles, FolderHasNameOfWorkloadWithoutConv) {
  const WorkingFolder inside(folder());
  EXPECT_EQ(findResultsFolder("prod_shapes_conv"), "prod_shapes_results");
  EXPECT_EQ(findResultsFolder("prod_shapes"), "prod_shapes_results");
  EXPECT_EQ(findResultsFolder("prod_matmul"), "prod_matmul_results");
  EXPECT_EQ(findResultsFolder("_conv"), "_conv_results");
  std::filesystem::create_directory("prod_shapes_conv_results");
  EXPECT_EQ(findResultsFolder("prod_shapes_conv"), "prod_shapes_conv_results") << "an older name";
  std::filesystem::create_directory("prod_shapes_results");
  EXPECT_EQ(findResultsFolder("prod_shapes_conv"), "prod_shapes_results");
}

TEST_F(ResultFiles, RoundTrip) {
  SweepResult sweep{kTestLimits, {}, {}, 0};
  Random random(5);
  for (const std::int64_t m : {9, 7, 5, 3, 8, 6, 4, 2}) {
    sweep.shapes.push_back(testShape(m, 100, 65536));
    measure(sweep.shapes.back(), [](const model::Reduction&) { return 64; }, 0.1, random);
  }
  sweep.shapes[3].limits.erase(64);
  sweep.shapes[4].baseline.reset();
  sweep.shapes[5].limits[8] = {1.25, 0, 0, 0, 0};
  sweep.shapes[6].noSplit.reset();
  ASSERT_TRUE(writeResults(folder() / "x_results", "x", sweep));
  const auto read = readResults(folder() / "x_results");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->limits, sweep.limits);
  EXPECT_EQ(read->shapes, sweep.shapes);
  EXPECT_EQ(read->skippedRows, 3);
  EXPECT_THAT(read->failures,
              ElementsAre("limit_baseline_x.csv:6: no time", "limit_64_x.csv:5: no time",
                          "limit_nosplit_x.csv:8: no time"));
}

TEST_F(ResultFiles, HaveColumnsOfBooDriver) {
  SweepResult sweep{{64}, {testShape(64, 32, 65536), testShape(8, 8, 4096)}, {}, 0};
  sweep.shapes[0].limits[64] = {2.5, 2, 4, 2.25, 0.5};
  ASSERT_TRUE(writeResults(folder(), "w", sweep));
  const std::string text = readFile(folder() / "limit_64_w.csv").value();
  EXPECT_THAT(text,
              testing::StartsWith("arguments,iree_boo_experimental min,iree_boo_experimental max,"
                                  "iree_boo_experimental mean,iree_boo_experimental median,"
                                  "iree_boo_experimental stddev\n"));
  EXPECT_THAT(text, HasSubstr(sweep.shapes[0].arguments + ",2,4,2.5,2.25,0.5\n"));
  EXPECT_THAT(text, HasSubstr(sweep.shapes[1].arguments + ",N.A.,N.A.,N.A.,N.A.,N.A.\n"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "limit_baseline_w.csv"));
}

TEST_F(ResultFiles, SummaryHasStructureOfEarlierTools) {
  SweepResult sweep{{8, 64}, {testShape(64, 32, 65536), testShape(8, 8, 4096)}, {}, 0};
  sweep.shapes[0].limits = {{8, {6, 0, 0, 0, 0}}, {64, {2, 0, 0, 0, 0}}};
  sweep.shapes[0].baseline = {1, 0, 0, 0, 0};
  sweep.shapes[1].baseline = {1, 0, 0, 0, 0};
  ASSERT_TRUE(writeResults(folder(), "w", sweep));
  const auto json =
      nlohmann::json::parse(readFile(folder() / "limitParallelLoops_sweep_results.json").value());
  EXPECT_EQ(json.at("candidate_limits"), (nlohmann::json{8, 64}));
  ASSERT_EQ(json.at("analyses").size(), 1U) << "a shape without times has no best limit";
  const auto& one = json.at("analyses").at(sweep.shapes[0].arguments);
  EXPECT_EQ(one.at("best_limit"), 64);
  EXPECT_EQ(one.at("best_runtime"), 2.0) << "the baseline is not a candidate";
  EXPECT_EQ(one.at("worst_runtime"), 6.0);
  EXPECT_EQ(one.at("speedup_vs_worst"), 3.0);
  EXPECT_EQ(one.at("all_runtimes"), (nlohmann::json{{"8", 6.0}, {"64", 2.0}, {"baseline", 1.0}}));
  EXPECT_EQ(one.at("csv_data").at("runtimes"), one.at("all_runtimes"));
  EXPECT_EQ(one.at("csv_data").at("arguments"), sweep.shapes[0].arguments);
}

TEST_F(ResultFiles, SummaryHasNullForUnmeasuredTimes) {
  SweepResult sweep{{8, 64}, {testShape(64, 32, 65536)}, {}, 0};
  sweep.shapes[0].limits = {{8, timingUs(6)}};
  ASSERT_TRUE(writeSummary(folder(), sweep));
  const auto json =
      nlohmann::json::parse(readFile(folder() / "limitParallelLoops_sweep_results.json").value());
  const auto& one = json.at("analyses").at(sweep.shapes[0].arguments);
  EXPECT_EQ(one.at("all_runtimes"),
            (nlohmann::json{{"8", 6.0}, {"64", nullptr}, {"baseline", nullptr}}));
  EXPECT_EQ(one.at("worst_runtime"), 6.0);
}

TEST_F(ResultFiles, HaveNoTimeForUnknownColumns) {
  SweepResult sweep{{64}, {testShape(64, 32, 65536)}, {}, 0};
  sweep.shapes[0].limits[64] = {2.5, 2, 0, 0, 0};
  ASSERT_TRUE(writeResults(folder(), "w", sweep));
  EXPECT_THAT(readFile(folder() / "limit_64_w.csv").value(),
              HasSubstr(sweep.shapes[0].arguments + ",2,N.A.,2.5,N.A.,N.A.\n"));
}

TEST_F(ResultFiles, MayHaveMissingTimes) {
  const std::string conv(kConv);
  const std::string gemm(kGemm);
  write("limit_baseline_prod_conv.csv",
        "\xef\xbb\xbfiree_boo_experimental mean,arguments\r\n"
        "4.5,\"" +
            conv +
            "\"\r\n"
            "N.A.," +
            gemm + "\r\n");
  write("limit_64_prod_conv.csv",
        "arguments,iree_boo_experimental min,iree_boo_experimental mean\n" + gemm + ",1,3\n" +
            conv +
            ",1\n"
            "\n" +
            gemm +
            ",1,2\n"
            "softmax of nothing,1,2\n" +
            conv + ",2,-1\n");
  write("limit_8_other.csv", "arguments,iree_boo_experimental mean\n" + conv + ",inf\n");
  write("limit_16_interrupted.csv", "");
  write("limit_fast_other.csv", "not a limit\n");
  write("notes.csv", "nor this\n");
  const auto read = readResults(folder());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->limits, (std::vector<std::int64_t>{8, 16, 64}));
  ASSERT_EQ(read->shapes.size(), 2U);
  EXPECT_EQ(read->shapes[0].arguments, kConv) << "order of the baseline file";
  EXPECT_EQ(read->shapes[0].reduction.kind, model::ReductionKind::convolution);
  EXPECT_EQ(read->shapes[0].baseline->meanUs, 4.5);
  EXPECT_TRUE(read->shapes[0].limits.empty());
  EXPECT_EQ(read->shapes[1].limits.at(64), (Timing{2, 1, 0, 0, 0})) << "the last one wins";
  EXPECT_FALSE(read->shapes[1].baseline);
  EXPECT_EQ(read->skippedRows, 5);
  EXPECT_THAT(read->failures,
              ElementsAre("limit_baseline_prod_conv.csv:3: no time", "limit_8_other.csv:2: no time",
                          "limit_64_prod_conv.csv:3: no time",
                          HasSubstr("limit_64_prod_conv.csv:6: unknown command 'softmax'"),
                          "limit_64_prod_conv.csv:7: no time"));
}

TEST_F(ResultFiles, MayLackBaseline) {
  write("limit_8_a.csv", "arguments,iree_boo_experimental mean\n" + std::string(kGemm) + ",3\n");
  const auto read = readResults(folder());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->shapes.at(0).baseline);
}

TEST_F(ResultFiles, AreNamedIfMissing) {
  EXPECT_THAT(readResults(folder()).error().message, HasSubstr("limit_<number>_<name>.csv"));
  EXPECT_THAT(readResults(folder()).error().message, HasSubstr(folder().string()));
  EXPECT_THAT(readResults(folder() / "none").error().message, HasSubstr("cannot read the folder"));
  write("limit_baseline_a.csv", "arguments,iree_boo_experimental mean\n");
  EXPECT_FALSE(readResults(folder())) << "a baseline alone is not a sweep";
}

TEST_F(ResultFiles, AreRejectedWithoutColumns) {
  write("limit_8_a.csv", "arguments,runtime\nx,1\n");
  EXPECT_THAT(readResults(folder()).error().message,
              HasSubstr("limit_8_a.csv: missing column 'iree_boo_experimental mean'"));
  write("limit_8_a.csv", "iree_boo_experimental mean\n1\n");
  EXPECT_THAT(readResults(folder()).error().message, HasSubstr("missing column 'arguments'"));
  write("limit_8_a.csv", "arguments,\"iree_boo");
  EXPECT_THAT(readResults(folder()).error().message, HasSubstr("line 1: unclosed quote"));
}

TEST_F(ResultFiles, CompareOptimizedCodeWithBaseline) {
  SweepResult sweep{{8}, {}, {}, 0};
  for (const std::int64_t m : {1, 2, 3, 4, 5}) {
    sweep.shapes.push_back(testShape(m, 64, 4096));
    sweep.shapes.back().baseline = {100, 0, 0, 0, 0};
  }
  sweep.shapes[4].baseline.reset();
  EXPECT_TRUE(readValidation(folder(), sweep)->shapes.empty());
  write("optimized_config_w.csv",
        "arguments,iree_boo_experimental mean\n" + sweep.shapes[0].arguments + ",50\n" +
            sweep.shapes[1].arguments + ",102\n" + sweep.shapes[2].arguments + ",110\n" +
            sweep.shapes[3].arguments + ",N.A.\n");
  const Validation validation = readValidation(folder(), sweep).value();
  ASSERT_EQ(validation.shapes.size(), 3U);
  EXPECT_EQ(validation.shapes[0].verdict, stats::Verdict::improved);
  EXPECT_EQ(validation.shapes[1].verdict, stats::Verdict::neutral);
  EXPECT_EQ(validation.shapes[2].verdict, stats::Verdict::regressed);
  EXPECT_EQ(validation.shapes[2].optimizedUs, 110);
  EXPECT_EQ(validation.failed, 1);
  EXPECT_EQ(validation.withoutBaseline, 1);
}

RC_GTEST_FIXTURE_PROP(ResultFiles, AnyTextGivesSweepOrError, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('"', ',', '\r', '\n', 'N', '.', '1', '-', 'g', ' '));
  write("limit_8_a.csv", "arguments,iree_boo_experimental mean\n" + text);
  const auto read = readResults(folder());
  if (read) {
    RC_ASSERT(read->skippedRows == static_cast<std::int64_t>(read->failures.size()));
  } else {
    RC_ASSERT(read.error().message.contains("unclosed quote"));
  }
}

}  // namespace
}  // namespace hone::split
