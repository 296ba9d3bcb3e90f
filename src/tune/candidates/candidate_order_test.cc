#include "tune/candidates/candidate_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::tune {
namespace {

using ::testing::ElementsAre;

CompiledCandidate candidate(const std::string& name, double cost) {
  CompiledCandidate candidate;
  candidate.config.name = name;
  candidate.expectedCost = cost;
  return candidate;
}

std::vector<std::string> namesOf(const std::vector<CompiledCandidate>& candidates) {
  std::vector<std::string> names;
  for (const CompiledCandidate& one : candidates) {
    names.push_back(one.config.name);
  }
  return names;
}

TEST(CandidateOrder, PutsExpectedWinnersFirstAndFailuresLast) {
  std::vector<CompiledCandidate> candidates = {candidate("slow", 3), candidate("failed", 0),
                                               candidate("twin", 0), candidate("fast", 1)};
  candidates[1].outcome = model::Outcome::compileFailed;
  candidates[2].sameAs = "slow";
  orderCandidates(candidates);
  EXPECT_THAT(namesOf(candidates), ElementsAre("fast", "slow", "failed", "twin"));
}

TEST(CandidateOrder, PenalizesSpillsAndLowOccupancy) {
  const CodeResources good{.registers = 32, .occupancy = 1};
  const CodeResources spills{.registers = 256, .spilledBytes = 64, .occupancy = 1};
  const CodeResources lonely{.registers = 256, .occupancy = 0.125};
  const CodeResources tooLarge{.sharedBytes = 1 << 20, .occupancy = 0};
  EXPECT_EQ(expectedCost(2, good), 2);
  EXPECT_EQ(expectedCost(2, std::nullopt), 2);
  EXPECT_GT(expectedCost(2, spills), 4);
  EXPECT_EQ(expectedCost(2, lonely), 4);
  EXPECT_GT(expectedCost(2, tooLarge), expectedCost(2, spills));
}

TEST(CandidateOrder, FindsTheKernelOfADispatch) {
  iree::CodeEvidence evidence;
  evidence.source = iree::EvidenceSource::amdMetadata;
  evidence.kernels = {{.name = "main_dispatch_1_reduction_32x2048_f32", .registers = 8},
                      {.name = "main_dispatch_10_matmul_8x8_f32", .registers = 99}};
  const auto found = resourcesFor(evidence, "main_dispatch_1", "rocm:gfx942");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->registers, 8);
  EXPECT_FALSE(resourcesFor(evidence, "main_dispatch_2", "rocm:gfx942"));
  evidence.kernels.pop_back();
  EXPECT_TRUE(resourcesFor(evidence, "main_dispatch_2", "rocm:gfx942")) << "the only one";
}

TEST(CandidateOrder, DescribesEvidence) {
  using iree::EvidenceSource;
  EXPECT_TRUE(describeOrder(EvidenceSource::ptxas).contains("ptxas"));
  EXPECT_TRUE(describeOrder(EvidenceSource::ptxText).contains("estimated"));
  EXPECT_FALSE(describeOrder(EvidenceSource::none).contains("registers"));
}

}  // namespace
}  // namespace hone::tune
