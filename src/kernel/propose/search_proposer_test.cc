#include "kernel/propose/search_proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"
#include "kernel/nest/test_nests.h"
#include "kernel/propose/rewrite_plan.h"

namespace hone::kernel {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Task exampleTask(const std::string& name) {
  Task task;
  task.name = name;
  for (const ExampleCall& call : exampleCalls()) {
    if (call.name == name) {
      task.shape.sizes = call.sizes;
      return task;
    }
  }
  return task;
}

/// The result of simulated turns: speeds are derived from the sources, every third candidate fails.
struct Simulation {
  std::vector<std::string> keys;
  std::vector<std::string> texts;
  std::vector<JudgedProposal> tried;
};

Simulation simulate(const Source& original, std::uint64_t seed, std::size_t turns,
                    std::size_t count, int threads) {
  Simulation simulation;
  const Task task = exampleTask(original.name);
  Source best = original;
  double bestSpeedup = 1;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    // A new proposer per turn: a resumed run has no memory either.
    const auto proposer = makeSearchProposer(seed, threads);
    const Analysis analysis = analyze(task, best, {}, {.threads = threads});
    const auto proposals = proposer->propose(
        {task, original, best, bestSpeedup, analysis, simulation.tried, {}, turn, count});
    EXPECT_TRUE(proposals);
    EXPECT_LE(proposals->size(), count);
    for (const Proposal& proposal : *proposals) {
      const std::string key = proposal.source.key();
      simulation.keys.push_back(key);
      simulation.texts.push_back(proposal.title);
      const std::uint64_t drawn = seedFrom(1, key);
      JudgedProposal tried{proposal, {}, std::nullopt, turn};
      if (drawn % 3 == 0) {
        tried.judged.outcome = model::Outcome::mismatch;
      } else {
        tried.speedup = 1.0 + static_cast<double>(drawn % 1000) / 100;
        if (*tried.speedup > bestSpeedup) {
          bestSpeedup = *tried.speedup;
          best = proposal.source;
        }
      }
      simulation.tried.push_back(std::move(tried));
    }
  }
  return simulation;
}

TEST(Search, IsDeterministicAndNeverRepeats) {
  std::size_t differing = 0;
  for (const char* name : {"matmul", "softmax", "conv", "attention"}) {
    const Source original = exampleSource(name);
    std::vector<std::vector<std::string>> bySeed;
    for (const std::uint64_t seed : {1, 2}) {
      const Simulation first = simulate(original, seed, 4, 6, 1);
      EXPECT_EQ(first.keys, simulate(original, seed, 4, 6, 1).keys);
      const std::set<std::string> unique(first.keys.begin(), first.keys.end());
      EXPECT_EQ(unique.size(), first.keys.size());
      EXPECT_FALSE(unique.contains(original.key()));
      EXPECT_EQ(first.keys.size(), 24U);
      bySeed.push_back(first.keys);
    }
    differing += bySeed[0] == bySeed[1] ? 0 : 1;
  }
  EXPECT_GT(differing, 0U);
}

TEST(Search, StartsWithFindings) {
  const Simulation matmul = simulate(exampleSource("matmul"), 1, 1, 4, 1);
  EXPECT_THAT(matmul.texts[0], HasSubstr("packing"));
  const Simulation softmax = simulate(exampleSource("softmax"), 1, 1, 4, 1);
  EXPECT_THAT(softmax.texts[0], HasSubstr("cached-exp"));
  EXPECT_THAT(softmax.texts[0], HasSubstr("vectorization"));
  const Simulation gelu = simulate(exampleSource("gelu_chain"), 1, 1, 4, 1);
  EXPECT_THAT(gelu.texts[0], HasSubstr("fusion"));
}

TEST(Search, UsesThreadsOnlyIfAllowed) {
  const auto withThreads = [](const Simulation& simulation) {
    std::size_t count = 0;
    for (const JudgedProposal& tried : simulation.tried) {
      count += tried.proposal.source.text.contains("omp parallel") ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(withThreads(simulate(exampleSource("softmax"), 1, 3, 6, 1)), 0U);
  EXPECT_GT(withThreads(simulate(exampleSource("softmax"), 1, 3, 6, 2)), 0U);
}

TEST(Search, ContinuesFromOtherProposersKernel) {
  const Source original = exampleSource("matmul");
  Source other = original;
  other.text.insert(0, "// by hand\n");
  const Task task = exampleTask("matmul");
  const Analysis analysis = analyze(task, other, {}, {});
  const auto proposals =
      makeSearchProposer(1, 1)->propose({task, original, other, 1.5, analysis, {}, {}, 1, 3});
  ASSERT_TRUE(proposals);
  ASSERT_EQ(proposals->size(), 3U);
  EXPECT_TRUE((*proposals)[0].source.text.starts_with("// by hand"));
}

TEST(Search, ChangesOnlyFlagsOfUnsupportedKernels) {
  Source original = exampleSource("matmul");
  const std::size_t at = original.text.find("float sum");
  original.text.insert(at, "goto here; here: ");
  const Task task = exampleTask("matmul");
  const Analysis analysis = analyze(task, original, {}, {});
  std::vector<JudgedProposal> tried;
  const auto proposer = makeSearchProposer(1, 1);
  for (std::size_t turn = 0; turn < 20; ++turn) {
    const auto proposals =
        proposer->propose({task, original, original, 1, analysis, tried, {}, turn, 4});
    ASSERT_TRUE(proposals);
    if (proposals->empty()) {
      EXPECT_EQ(proposer->ended(), "all applicable rewrites were tried");
      EXPECT_EQ(proposer->complaint(), "") << "the search did not fail";
      break;
    }
    EXPECT_EQ(proposer->ended(), "");
    for (const Proposal& proposal : *proposals) {
      EXPECT_EQ(proposal.source.text, original.text);
      EXPECT_THAT(proposal.source.flags, Contains("-O3"));
      tried.push_back({proposal, {}, 1.0, turn});
    }
  }
  EXPECT_GE(tried.size(), 3U);
  EXPECT_LE(tried.size(), 12U);
}

TEST(RewritePlan, RoundTripsThroughText) {
  RewritePlan plan;
  plan.add("packing");
  plan.add("vectorization");
  plan.set("packing", "rows", 12);
  plan.set("packing", "vectors", 2);
  const auto again = RewritePlan::from(plan.text());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, plan);
  EXPECT_EQ(RewritePlan::from("")->text(), "");
  for (const char* wrong : {"magic", "packing rows=7", "packing rows", "packing=3",
                            "packing rows=x", ";", "packing colour=4"}) {
    EXPECT_FALSE(RewritePlan::from(wrong)) << wrong;
  }
}

TEST(RewritePlan, RequiresTilesToFitRegisters) {
  const auto fits = [](std::int64_t rows, std::int64_t vectors) {
    RewritePlan plan;
    plan.add("packing");
    plan.set("packing", "rows", rows);
    plan.set("packing", "vectors", vectors);
    return isFeasible(plan);
  };
  EXPECT_TRUE(fits(8, 3));
  EXPECT_TRUE(fits(14, 2));
  EXPECT_FALSE(fits(14, 3));
  EXPECT_FALSE(fits(2, 1));
}

}  // namespace
}  // namespace hone::kernel
