#include "kernel/propose/tilelang/tilelang_knobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernel/propose/analysis/analysis_tilelang.h"
#include "kernel/propose/search_proposer.h"
#include "kernel/propose/tilelang/tilelang_program.h"

namespace hone::kernel {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kMatmul = R"(import tilelang.language as T

BLOCK_K = 16  # block_K = 99 in a comment
M = 1024


def matmul(block_M=32, block_N: int = 32, threads=64):
    "num_stages=7 in a string"
    with T.Kernel(T.ceildiv(M, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_local = T.alloc_fragment((block_M, BLOCK_K), "float16")
        T.copy(A[by * block_M, 0], A_local)
        for k in T.serial(BLOCK_K):
            C[0, 0] += A_local[0, k] * B[k, 0]


kernel = matmul(block_M=32)
)";

TEST(TileLangKnobs, FindsKnobs) {
  const auto knobs = tileLangKnobs(kMatmul);
  std::vector<std::string> found;
  for (const TextKnob& knob : knobs) {
    found.push_back(knob.name + "=" + knob.value);
  }
  EXPECT_THAT(found,
              ElementsAre("BLOCK_K=16", "block_M=32", "block_N=32", "threads=64", "loop=serial"));
  EXPECT_EQ(knobs[1].places.size(), 2U);
  EXPECT_EQ(knobs[0].line, 3);
  EXPECT_THAT(knobs[0].values, ElementsAre("32", "8", "64", "4"));
  EXPECT_THAT(knobs[3].values, ElementsAre("128", "32", "256"));
}

TEST(TileLangKnobs, ChangesAllPlaces) {
  const auto knobs = tileLangKnobs(kMatmul);
  const std::string text = withKnob(kMatmul, knobs[1], "128");
  EXPECT_THAT(text, HasSubstr("def matmul(block_M=128, block_N: int = 32"));
  EXPECT_THAT(text, HasSubstr("kernel = matmul(block_M=128)"));
  EXPECT_THAT(text, HasSubstr("block_K = 99 in a comment"));
}

TEST(TileLangKnobs, MovesAreUniqueAndStartWithFindings) {
  const std::vector<Finding> findings = {{Side::parallelism, "", "", "threads", 0.9}};
  const auto moves = tileLangMoves(kMatmul, findings, 3);
  ASSERT_GT(moves.size(), 20U);
  EXPECT_THAT(moves[0].title(), HasSubstr("threads=128"));
  std::set<std::string> texts = {kMatmul};
  for (const TextMove& move : moves) {
    EXPECT_TRUE(texts.insert(move.text).second) << move.title();
  }
}

constexpr const char* kColumns = R"(import tilelang
import tilelang.language as T

BLOCK = 4


@tilelang.jit(target="c", out_idx=[-1])
def add(rows, columns, block=BLOCK):
    @T.prim_func
    def main(x: T.Tensor((rows, columns), "float32"), y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(columns // block) as b:
            for j in T.serial(block):
                for i in T.serial(rows):
                    y[i, b * block + j] = x[i, b * block + j] + 1.0
            for i in T.serial(rows):
                y[i, 0] = 0.0
                for j in T.serial(columns):
                    y[i, j] += 1.0
            for i in T.serial(rows):
                for j in T.serial(i):
                    y[i, j] += 1.0

    return main
)";

TEST(TileLangKnobs, SwapsLoopsAndAddsFlagsForCpu) {
  const auto knobs = tileLangKnobs(kColumns);
  ASSERT_EQ(knobs[0].name, "compile_flags");
  EXPECT_THAT(withKnob(kColumns, knobs[0], knobs[0].values.back()),
              HasSubstr("@tilelang.jit(compile_flags=[\"-ffast-math\"], target=\"c\""));
  ASSERT_EQ(knobs[1].name, "order");
  EXPECT_THAT(withKnob(kColumns, knobs[1], knobs[1].values.front()),
              HasSubstr("            for i in T.serial(rows):\n"
                        "                for j in T.serial(block):\n"
                        "                    y[i, b * block + j] = x["));
  // Skips loops that are not perfectly nested, and inner bounds that use the outer variable.
  EXPECT_NE(knobs[2].name, "order");
  for (const TextKnob& knob : knobs) {
    EXPECT_THAT(knob.values, testing::Not(Contains("vectorized")));
  }
  const std::string flagged = withKnob(kColumns, knobs[0], knobs[0].values.front());
  EXPECT_EQ(tileLangKnobs(flagged)[0].name, "order");
}

TEST(TileLangKnobs, TriesStridedLoopFirst) {
  const Source source{Language::tilelang, "add", kColumns, {}};
  const auto findings = tileLangFindings(source);
  const auto order = std::ranges::find(findings, "loop-order", &Finding::technique);
  ASSERT_NE(order, findings.end());
  EXPECT_EQ(order->what, "strided access in the inner loop over i");
  EXPECT_THAT(order->evidence, HasSubstr("line 12"));
  const auto moves = tileLangMoves(kColumns, findings, 1);
  EXPECT_EQ(moves[0].title(), "swap the two loops at line 12");
  std::set<std::string> texts = {kColumns};
  for (const TextMove& move : moves) {
    EXPECT_TRUE(texts.insert(move.text).second) << move.title();
  }
  const std::string better = moves[0].text;
  const auto after = tileLangFindings({Language::tilelang, "add", better, {}});
  EXPECT_EQ(std::ranges::find(after, "loop-order", &Finding::technique), after.end());
}

TEST(TileLangKnobs, MixesTechniquesAndLengthensSwappedLoop) {
  const auto findings = tileLangFindings({Language::tilelang, "add", kColumns, {}});
  const auto moves = tileLangMoves(kColumns, findings, 1);
  std::set<std::string> techniques;
  std::set<std::string> titles;
  for (std::size_t i = 0; i < 4; ++i) {
    techniques.insert(moves[i].techniques.begin(), moves[i].techniques.end());
    titles.insert(moves[i].title());
  }
  EXPECT_GE(techniques.size(), 3U);
  EXPECT_THAT(titles, Contains("swap the two loops at line 12; BLOCK=16 instead of 4"));
}

TEST(TileLangSearch, TriesFailedChangesLast) {
  const Source source{Language::tilelang, "add", kColumns, {}};
  const Task task;
  const Analysis analysis = analyze(task, source, {}, {});
  const auto proposalsAfter = [&](const std::vector<JudgedProposal>& tried, std::size_t count) {
    return makeSearchProposer(1, 1)
        ->propose({task, source, source, 1, analysis, tried, {}, 0, count})
        .value();
  };
  const auto all = proposalsAfter({}, 1000);
  const auto isLarge = [](const Proposal& proposal) {
    return proposal.title.contains("BLOCK=16 instead");
  };
  const auto large = std::ranges::count_if(all, isLarge);
  ASSERT_GT(large, 1);
  JudgedProposal wrong;
  wrong.proposal = *std::ranges::find(all, "BLOCK=16 instead of 4", &Proposal::title);
  wrong.judged.outcome = model::Outcome::mismatch;
  auto after = proposalsAfter({wrong}, 1000);
  ASSERT_EQ(after.size(), all.size() - 1);
  after.resize(all.size() - static_cast<std::size_t>(large));
  EXPECT_EQ(std::ranges::count_if(after, isLarge), 0);
}

TEST(TileLangFindings, ReportMissingGpuTechniques) {
  const Source source{Language::tilelang, "matmul", kMatmul, {}};
  const auto findings = tileLangFindings(source);
  std::set<std::string> techniques;
  for (const Finding& finding : findings) {
    techniques.insert(finding.technique);
    EXPECT_THAT(finding.evidence, HasSubstr("line "));
  }
  for (const char* technique :
       {"shared-memory", "pipelining", "tensor-cores", "threads", "tiling", "vectorization"}) {
    EXPECT_THAT(techniques, Contains(technique));
  }
}

TEST(TileLangFindings, IgnoreOtherPython) {
  EXPECT_TRUE(tileLangFindings({Language::tilelang, "x", "print('T.Kernel(')\n", {}}).empty());
}

TEST(TileLangSearch, ChangesBestKernel) {
  const Source source{Language::tilelang, "matmul", kMatmul, {}};
  const Task task;
  const Analysis analysis = analyze(task, source, {}, {});
  const auto proposals =
      makeSearchProposer(1, 1)->propose({task, source, source, 1, analysis, {}, {}, 0, 5});
  ASSERT_TRUE(proposals);
  ASSERT_EQ(proposals->size(), 5U);
  for (const Proposal& proposal : *proposals) {
    EXPECT_NE(proposal.source.text, source.text);
    EXPECT_EQ(proposal.source.language, Language::tilelang);
    EXPECT_FALSE(proposal.techniques.empty());
  }
}

TEST(BlankComments, KeepsPositions) {
  EXPECT_EQ(blankComments("a = 1  # b\nc = \"#\"\n"), "a = 1     \nc =    \n");
  EXPECT_EQ(blankComments("'''x\ny''' z"), "    \n     z");
  EXPECT_EQ(blankComments("'open\nx"), "     \nx");
}

}  // namespace
}  // namespace hone::kernel
