#include "kernel/propose/analysis/gpu_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::kernel {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json program(const char* arch) {
  return {{"arch", arch},        {"threads", 128},
          {"blocks", 1024},      {"registers", 64},
          {"spills", 0},         {"shared_memory", 16384},
          {"global_bytes", 1e9}, {"global_requests", 1e6},
          {"shared_bytes", 1e9}, {"tensor_flops", 1e10},
          {"flops", 1e8},        {"barriers", 1e6},
          {"stages", 1}};
}

KernelFacts facts(const json& first) { return factsFrom({{"kernels", {first}}}); }

KernelFacts facts(const json& first, const json& second) {
  return factsFrom({{"kernels", {first, second}}});
}

/// Returns the estimated cost if both architectures have these values, relative to program().
std::optional<double> costWith(const json& values) {
  json first = program("sm_80");
  json second = program("sm_90");
  first.update(values);
  second.update(values);
  return relativeGpuCost(facts(first, second), facts(program("sm_80"), program("sm_90")));
}

TEST(GpuEstimate, RanksByWork) {
  EXPECT_DOUBLE_EQ(costWith(json::object()).value(), 1);
  EXPECT_LT(costWith({{"global_bytes", 5e8}, {"global_requests", 5e5}}).value(), 1);
  EXPECT_LT(costWith({{"stages", 3}}).value(), 1);
  EXPECT_GT(costWith({{"spills", 256}}).value(), 1);
  EXPECT_GT(costWith({{"blocks", 8}}).value(), 1);
}

TEST(GpuEstimate, RejectsBlocksThatDoNotFit) {
  EXPECT_EQ(costWith({{"shared_memory", 300 * 1024}}), std::nullopt);
  const auto estimates = estimateGpu(facts(
      [] {
        json large = program("sm_80");
        large["shared_memory"] = 200 * 1024;
        return large;
      }(),
      [] {
        json large = program("sm_90");
        large["shared_memory"] = 200 * 1024;
        return large;
      }()));
  ASSERT_EQ(estimates.size(), 2);
  EXPECT_THAT(estimates[0].problem, HasSubstr("shared memory"));
  EXPECT_EQ(estimates[1].problem, "");
}

TEST(GpuEstimate, RejectsCandidateThatLosesAnArchitecture) {
  json failed = program("sm_90");
  failed["failed"] = true;
  const KernelFacts original = facts(program("sm_80"), program("sm_90"));
  EXPECT_EQ(relativeGpuCost(facts(program("sm_80"), failed), original), std::nullopt);
  EXPECT_TRUE(relativeGpuCost(original, facts(program("sm_80"), failed)).has_value());
}

TEST(GpuEstimate, IsUnknownWithoutWork) {
  json unknown = program("sm_80");
  unknown.erase("global_bytes");
  EXPECT_THAT(estimateGpu(facts(unknown)), IsEmpty());
  EXPECT_EQ(relativeGpuCost(facts(unknown), facts(unknown)), std::nullopt);
  EXPECT_THAT(estimateGpu({}), IsEmpty());
}

TEST(GpuEstimate, DescribesEvidence) {
  EXPECT_THAT(describeGpu(facts(program("sm_80"))),
              ElementsAre("sm_80: 64 registers, 0 bytes spilled, 16384 bytes of shared memory, "
                          "50 % occupancy"));
}

}  // namespace
}  // namespace hone::kernel
