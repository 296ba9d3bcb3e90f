#include "tune/candidate_folder.h"

#include <gtest/gtest.h>

namespace hone::tune {
namespace {

TEST(CandidateFolder, AConfigurationThatTheCompilerDidNotUseIsInvalid) {
  iree::Compiled compiled;
  compiled.content = "abc";
  EXPECT_EQ(candidateOf({"a", {}, {}}, compiled).outcome, model::Outcome::ok);
  compiled.ignored = "the compiler chose something else";
  DispatchCandidates dispatch{"d", 9, {candidateOf({"b", {}, {}}, compiled)}};
  EXPECT_EQ(dispatch.candidates[0].outcome, model::Outcome::invalid);
  EXPECT_EQ(dispatch.candidates[0].message, compiled.ignored);
  EXPECT_EQ(dispatch.compiled(), 0u);
  EXPECT_EQ(dispatch.different(), 0u);
}

TEST(CandidateFolder, AMatcherIsOfItsOwnDispatch) {
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
