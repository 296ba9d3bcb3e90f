#include "tune/candidates/candidate_folder.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash.h"

namespace hone::tune {
namespace {

TEST(CandidateFolder, UnusedConfigIsInvalid) {
  iree::Compiled compiled;
  compiled.content = "abc";
  EXPECT_EQ(toCandidate({"a", {}, {}}, compiled).outcome, model::Outcome::ok);
  compiled.ignored = "the compiler chose something else";
  DispatchCandidates dispatch;
  dispatch.candidates.push_back(toCandidate({"b", {}, {}}, compiled));
  EXPECT_EQ(dispatch.candidates[0].outcome, model::Outcome::invalid);
  EXPECT_EQ(dispatch.candidates[0].message, compiled.ignored);
  EXPECT_EQ(dispatch.compiled(), 0u);
  EXPECT_EQ(dispatch.different(), 0u);
}

TEST(CandidateFolder, IsReusedForSameProgramOnly) {
  const ScratchFolder folder = ScratchFolder::create("hone-folder").value();
  WholeProgram whole;
  whole.program.hash = hashBytes("program");
  ASSERT_TRUE(writeFile(folder.path() / kProgramFile, "program"));
  ASSERT_TRUE(writeFile(folder.path() / "candidates.json", R"({
      "target": "rocm:gfx942", "function": "main", "flags": [], "inputs": [], "seed": 1,
      "compiler": "3", "dispatches": [{"dispatch": "d", "space": 9, "note": "why", "candidates": [
        {"config": {"name": "a", "flags": [], "attributes": []}, "outcome": "compile_timeout",
         "message": "m", "content": "", "compile_wall_ns": 5}]}]})"));
  CandidateFolder wanted{"rocm:gfx942", "main", {}, {}, 1, "3", {}};
  const auto known = knownCandidates(whole, wanted, folder.path());
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].note, "why");
  ASSERT_EQ(known[0].candidates.size(), 1u);
  EXPECT_EQ(known[0].candidates[0].outcome, model::Outcome::compileTimeout);
  wanted.seed = 2;
  EXPECT_TRUE(knownCandidates(whole, wanted, folder.path()).empty());
  wanted.seed = 1;
  whole.program.hash = hashBytes("another");
  EXPECT_TRUE(knownCandidates(whole, wanted, folder.path()).empty());
  EXPECT_TRUE(knownCandidates(whole, wanted, folder.path() / "nowhere").empty());
}

TEST(CandidateFolder, FindsMatcherOfDispatch) {
  std::vector<iree::DispatchMatcher> matchers(3);
  matchers[0].dispatch = "main_dispatch_1";
  matchers[1].dispatch = "main_dispatch_10";
  matchers[2].dispatch = "main_dispatch_12";
  EXPECT_EQ(matcherFor(matchers, "main_dispatch_1"), &matchers.front());
  EXPECT_EQ(matcherFor(matchers, "main_dispatch_1_matmul_8x8x8_f32"), &matchers.front());
  EXPECT_EQ(matcherFor(matchers, "main_dispatch_10_matmul_8x8x8_f32"), &matchers[1]);
  EXPECT_EQ(matcherFor(matchers, "main_dispatch_12"), &matchers[2]);
  EXPECT_EQ(matcherFor(matchers, "main_dispatch_13_matmul_8x8x8_f32"), nullptr);
}

}  // namespace
}  // namespace hone::tune
