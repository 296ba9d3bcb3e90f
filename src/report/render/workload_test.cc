#include "report/render/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text/text.h"

namespace hone::report {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kWorkload =
    "# a weight-backward convolution with groups, and other kinds\n"
    "convbfp16 -n 16 -c 96 -H 48 -W 32 -k 192 -y 3 -x 5 -p 1 -q 2 -u 2 -v 1 -g 3 -F 4\n"
    "gemm -m 128 -n 64 -k 1024 -b 2\n"
    "pool -n 1\n"
    "conv -n 2 -c 8 -H 8 -W 8 -k 4 -F 3\n"
    "gemm -k 1024 -m 128 -n 64 -b 2\n"
    "attention_4x256x128x64_f16t_f16t_f16t\n";

nlohmann::json read(std::string_view text) {
  return workloadJson(model::parseWorkload(text, "w.txt"));
}

TEST(WorkloadReport, ComputesWeightBackwardSizes) {
  const nlohmann::json json = read(kWorkload);
  const nlohmann::json& wrw = json["problems"][0];
  EXPECT_EQ(wrw["line"], 2);
  EXPECT_EQ(wrw["kind"], "conv2d wrw");
  EXPECT_EQ(wrw["output_size"], 192 * (96 / 3) * 3 * 5);
  EXPECT_EQ(wrw["reduction_size"], 16 * 24 * 32) << "Ho is 24, Wo is 32";
  EXPECT_EQ(wrw["flops"], 2.0 * 192 * 32 * 3 * 5 * 16 * 24 * 32);
}

TEST(WorkloadReport, ComputesSizesOfOtherKinds) {
  const nlohmann::json problems = read(kWorkload)["problems"];
  ASSERT_THAT(problems, SizeIs(6));
  EXPECT_EQ(problems[1]["kind"], "batch_matmul");
  EXPECT_EQ(problems[1]["output_size"], 2 * 128 * 64);
  EXPECT_EQ(problems[1]["reduction_size"], 1024);
  EXPECT_EQ(problems[1]["arguments"], "gemm -m 128 -n 64 -k 1024 -b 2");
  EXPECT_EQ(problems[2]["kind"], "conv2d fwd");
  EXPECT_EQ(problems[2]["output_size"], 2 * 4 * 6 * 6);
  EXPECT_EQ(problems[2]["reduction_size"], 8 * 3 * 3);
  EXPECT_EQ(problems[3]["kind"], "conv2d bwd");
  EXPECT_EQ(problems[3]["output_size"], 2 * 8 * 8 * 8);
  EXPECT_EQ(problems[3]["reduction_size"], 4 * 3 * 3);
  EXPECT_EQ(problems[3]["line"], problems[2]["line"]);
  EXPECT_EQ(problems[5]["kind"], "attention");
}

TEST(WorkloadReport, CountsLinesProblemsAndKinds) {
  const nlohmann::json json = read(kWorkload);
  double flops = 0;
  for (const nlohmann::json& problem : json["problems"]) {
    flops += problem["flops"].get<double>();
  }
  EXPECT_EQ(json["totals"], (nlohmann::json{{"lines", 5},
                                            {"problems", 6},
                                            {"different", 5},
                                            {"convolutions", 3},
                                            {"matmuls", 2},
                                            {"attentions", 1},
                                            {"flops", flops}}));
  ASSERT_THAT(json["bad_lines"], SizeIs(1));
  EXPECT_EQ(json["bad_lines"][0]["line"], 4);
  EXPECT_THAT(json["bad_lines"][0]["message"].get<std::string>(), HasSubstr("w.txt:4: unknown"));
}

TEST(WorkloadReport, FitsWidth) {
  const auto entries =
      model::parseWorkload("gemm -m 100 -n 7 -k 3\nconvfp16 -n 64 -c 512 -H 56 -W 56 -k 512 -F 4\n",
                           "w.txt")
          .entries;
  EXPECT_EQ(workloadText(entries, 80),
            "line  kind         output  reduction   FLOPs  problem\n"
            "   1  matmul          700          3  4.20 k  matmul_100x7x3_f32\n"
            "   2  conv2d wrw  2359296     186624   881 G  conv_wrw_nchw_64x512x56x56_k512...\n"
            "\n"
            "2 problems of 2 lines, 2 different; 881 GFLOPs\n"
            "1 convolution, 1 matmul\n");
  EXPECT_THAT(splitAt(workloadText(entries, 80), '\n'), Each(SizeIs(testing::Le(80))));
}

}  // namespace
}  // namespace hone::report
