#include "kernel/turns/first_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/propose/test_loop.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using test::failingKernel;
using test::FakeKernelJudge;
using test::kernelTaking;
using test::makeProposal;
using test::ScriptedProposer;
using ::testing::ElementsAre;
using ::testing::SizeIs;

FirstKernel create(Proposer* proposer, std::vector<Source> plain = {}) {
  FakeKernelJudge judge;
  Progress quiet(true);
  return createKernel({.kernelJudge = judge,
                       .language = Language::cpp,
                       .reference = "the reference",
                       .proposer = proposer,
                       .plain = std::move(plain),
                       .examples = {},
                       .repairs = 2,
                       .progress = quiet})
      .value();
}

TEST(FirstKernel, RepairsModelsKernel) {
  ScriptedProposer proposer({{makeProposal(failingKernel(Outcome::compileFailed), "a")}});
  proposer.repairs = {{makeProposal(failingKernel(Outcome::mismatch), "b")},
                      {makeProposal(kernelTaking(10), "c")}};
  const FirstKernel first = create(&proposer);
  ASSERT_TRUE(first.kernel);
  EXPECT_EQ(first.kernel->title, "c");
  EXPECT_TRUE(first.byModel);
  EXPECT_THAT(first.failures, SizeIs(2));
  EXPECT_THAT(proposer.errors, ElementsAre("a: line 3: as requested", "b: line 3: as requested"));
}

TEST(FirstKernel, FallsBackToPlainKernel) {
  ScriptedProposer proposer({{makeProposal(failingKernel(Outcome::mismatch), "a")}});
  const FirstKernel first =
      create(&proposer, {failingKernel(Outcome::mismatch, "too inexact"), kernelTaking(10)});
  ASSERT_TRUE(first.kernel);
  EXPECT_EQ(first.kernel->source, kernelTaking(10));
  EXPECT_FALSE(first.byModel);
  EXPECT_THAT(first.failures, SizeIs(2));
}

TEST(FirstKernel, WritesPlainKernelWithoutModel) {
  EXPECT_EQ(create(nullptr, {kernelTaking(10)}).kernel->source, kernelTaking(10));
  EXPECT_EQ(create(nullptr).kernel, std::nullopt);
  const FirstKernel wrong = create(nullptr, {failingKernel(Outcome::mismatch)});
  EXPECT_EQ(wrong.kernel, std::nullopt);
  EXPECT_THAT(wrong.failures, SizeIs(1));
}

TEST(FirstKernel, ReportsUnusableAnswers) {
  ScriptedProposer proposer({});
  proposer.complaints = "no code";
  const FirstKernel first = create(&proposer);
  EXPECT_EQ(first.kernel, std::nullopt);
  EXPECT_EQ(first.complaint, "no code");
}

}  // namespace
}  // namespace hone::kernel
