#include "report/pages/split/split_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/result/summary/split_result.h"

namespace hone::report {
namespace {

using nlohmann::json;
using testing::ElementsAre;

TEST(ShortenToDifferences, DropsCommonOptions) {
  EXPECT_THAT(
      shortenToDifferences({"conv -n 16 -c 3 -F 4 --iter 100", "conv -n 16 -c 64 -F 4 --iter 100"}),
      ElementsAre("c3", "c64"));
}

TEST(ShortenToDifferences, DropsCommonOptionsPerKind) {
  EXPECT_THAT(shortenToDifferences({"conv -n 16 -c 3 --out_layout NHWC", "gemm -m 3 -n 16",
                                    "gemm -m 4 -n 16", "conv -n 8 -c 3 --out_layout NHWC"}),
              ElementsAre("conv n16", "gemm m3", "gemm m4", "conv n8"));
  EXPECT_THAT(shortenToDifferences({"gemm -m 3", "conv -m 3"}), ElementsAre("gemm m3", "conv m3"))
      << "the only line of its kind";
}

TEST(ShortenToDifferences, KeepsLinesWithoutDifferences) {
  EXPECT_THAT(shortenToDifferences({"conv -n 16"}), ElementsAre("conv -n 16"));
  EXPECT_THAT(shortenToDifferences({"conv -n 16", "conv -n 16"}),
              ElementsAre("conv -n 16", "conv -n 16"));
  EXPECT_THAT(shortenToDifferences({"conv -n 16", "conv -n 16", "gemm -m 3"}),
              ElementsAre("conv -n 16", "conv -n 16", "gemm m3"));
  EXPECT_THAT(shortenToDifferences({}), ElementsAre());
}

TEST(SplitShapes, ReadsTypicalTimes) {
  const json timing = {10, 5, 20, 8, 1};
  const json meanOnly = {10, 0, 0, 0, 0};
  const json summary = {{"shapes",
                         {{{"arguments", "gemm -m 4"},
                           {"reduction",
                            {{"kind", "matmul"},
                             {"batch_first", false},
                             {"batch_size", 1},
                             {"k_size", 0},
                             {"m_size", 4},
                             {"n_size", 8},
                             {"sizes", {64}}}},
                           {"limits", {{"1", meanOnly}, {"16", timing}, {"64", timing}}},
                           {"baseline", timing},
                           {"no_split", nullptr}}}}};
  const auto shapes = toShapes(*model::splitResultFrom(summary).value().shapes);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].limitsNs.at(1), 10'000) << "mean without a minimum";
  EXPECT_EQ(shapes[0].baselineNs, 5'000) << "minimum";
  EXPECT_EQ(shapes[0].noSplitNs, std::nullopt);
  EXPECT_EQ(shapes[0].bestNs(), 5'000);
  EXPECT_EQ(shapes[0].bestLimit(), 16) << "smallest of equals";
  EXPECT_EQ(shapes[0].reduction.outputSize(), 32);
  EXPECT_FALSE(model::splitResultFrom(json::object()).value().shapes);
}

}  // namespace
}  // namespace hone::report
