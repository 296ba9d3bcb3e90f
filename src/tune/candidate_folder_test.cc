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

}  // namespace
}  // namespace hone::tune
