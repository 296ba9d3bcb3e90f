// Judges honest kernels.
#include "kernel/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "base/text/text.h"
#include "kernel/judge/execution/reference_run.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/judge/test_judge.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using testing::HasSubstr;

TEST(JudgeHonest, PassesMatmulWithFacts) {
  const JudgeResult judged = judgeMatmul(kMatmulKernel);
  EXPECT_EQ(judged.outcome, Outcome::ok) << judged.message;
  EXPECT_FALSE(judged.samples.empty());
  for (const model::Sample& sample : judged.samples) {
    EXPECT_GT(sample.wallNs, 0);
    EXPECT_GT(sample.cpuNs, 0);
    EXPECT_GE(sample.iterations, 1);
    EXPECT_EQ(sample.stage, model::Stage::screen);
  }
  EXPECT_GT(judged.facts.worstError.value(), 0);
  EXPECT_LT(judged.facts.worstError.value(), judged.facts.errorBound.value());
  EXPECT_EQ(judged.facts.inputs, 2 * 8 * 2 + 8 + 1);  // two other shapes, and its own
  EXPECT_TRUE(judged.facts.remarks.has_value());
  EXPECT_EQ(judged.artifact.size(), 64u);
}

TEST(JudgeHonest, PassesAllKernels) {
  for (const TestKernel& kernel : honestKernels()) {
    JudgeOptions options;
    options.threads = kernel.name.ends_with("threads") ? 2 : 1;
    TestJudge test(kernel.reference, options);
    for (const std::uint64_t salt : {1U, 2U}) {
      const JudgeResult judged = test.judge().judge(kernel.source(), salt).value();
      EXPECT_EQ(judged.outcome, Outcome::ok) << kernel.name << ": " << judged.message;
    }
  }
}

/// Inputs that make the reference so sensitive, or its outputs so small, that an honest kernel is
/// far off. They used to be reported as mismatches.
TEST(JudgeHonest, PassesOnHardInputs) {
  const std::map<std::string, std::vector<std::uint64_t>> hard = {{"gelu", {90, 93, 135}},
                                                                  {"attention", {22, 120, 144}}};
  for (const TestKernel& kernel : honestKernels()) {
    const auto salts = hard.find(kernel.name);
    if (salts == hard.end()) {
      continue;
    }
    TestJudge test(kernel.reference, {});
    for (const std::uint64_t salt : salts->second) {
      const JudgeResult judged = test.judge().judge(kernel.source(), salt).value();
      EXPECT_EQ(judged.outcome, Outcome::ok) << kernel.name << ": " << judged.message;
    }
  }
}

TEST(JudgeHonest, MeasuresInNewProcess) {
  const Source source{Language::cpp, "matmul", kMatmulKernel, {}};
  const JudgeResult judged =
      matmulJudge().judge().measure({&source}, model::Stage::final, 7, 2).value();
  EXPECT_EQ(judged.outcome, Outcome::ok) << judged.message;
  ASSERT_FALSE(judged.samples.empty());
  EXPECT_EQ(judged.samples[0].stage, model::Stage::final);
  EXPECT_EQ(judged.samples[0].round, 7);
  EXPECT_EQ(judged.samples[0].position, 2);
}

TEST(JudgeHonest, RejectsMeasuringMissingPyTorch) {
  EXPECT_FALSE(matmulJudge().judge().hasPyTorch());
  EXPECT_FALSE(matmulJudge().judge().measure({nullptr}, model::Stage::final, 0, 0));
}

TEST(JudgeHonest, SkipsOtherShapesForFixedSizes) {
  const std::string text = matmulText("if (M != 24 || N != 40 || K != 32) return;");
  EXPECT_EQ(judgeMatmul(text).outcome, Outcome::mismatch);
  const JudgeResult judged = judgeMatmul("// hone: fixed sizes\n" + text);
  EXPECT_EQ(judged.outcome, Outcome::ok) << judged.message;
  EXPECT_EQ(judged.facts.inputs, 8 + 1);
}

TEST(JudgeInputs, DifferForEverySalt) {
  // The kernel logs one of its inputs; two trials must differ.
  const std::string text =
      matmulText("if (M == 7) { printf(\"first %a\\n\", A[3]); fflush(stdout); abort(); }",
                 "#include <cstdio>\n");
  const JudgeResult one = judgeMatmul(text, 1);
  const JudgeResult two = judgeMatmul(text, 2);
  EXPECT_THAT(one.diagnostics, HasSubstr("first "));
  const auto firstLine = [](const JudgeResult& judged) {
    return splitAt(judged.diagnostics, '\n')[0];
  };
  EXPECT_NE(firstLine(one), firstLine(two));
  EXPECT_EQ(firstLine(judgeMatmul(text, 1)), firstLine(one));
}

TEST(JudgeReference, LeavesNoFileWithExpectedOutputs) {
  const ScratchFolder folder = ScratchFolder::create("hone-judge-test").value();
  const auto file = folder.path() / "task.reference.cc";
  const auto shared = folder.path() / "tensors";
  ASSERT_TRUE(writeFile(file, kMatmulReference));
  ASSERT_TRUE(makeFolder(shared));
  JudgeOptions options;
  options.folder = folder.path();
  const Task task = readTask(file, options).value();
  auto builder = CppBuilder::open(folder.path() / "built", options.limits).value();
  auto reference = ReferenceRun::open(task, options, builder, shared).value();
  EXPECT_TRUE(reference.compute(0, makeInputs(task.shape, ValueKind::unit, 1)));
  EXPECT_TRUE(std::filesystem::is_empty(shared));
}

TEST(JudgeReference, ReportsUserErrors) {
  const auto errorFor = [](const std::string& reference, std::uint64_t memory = 4ULL << 30U) {
    const ScratchFolder folder = ScratchFolder::create("hone-judge-test").value();
    const auto file = folder.path() / "task.reference.cc";
    EXPECT_TRUE(writeFile(file, reference));
    JudgeOptions options;
    options.folder = folder.path();
    options.limits.memoryBytes = memory;
    auto judge = Judge::open(readTask(file, options).value(), options);
    if (!judge) {
      EXPECT_EQ(judge.error().fault, Fault::user);
      return judge.error().message;
    }
    const auto judged = judge->judge({Language::cpp, "m", kMatmulKernel, {}}, 1);
    return judged ? std::string() : judged.error().message;
  };
  const std::string text = kMatmulReference;
  EXPECT_THAT(errorFor(text + "x"), HasSubstr("task.reference.cc: line"));
  const std::string store = "C[i * N + j] = sum;";
  std::string changed = text;
  changed.replace(changed.find(store), store.size(), "");
  EXPECT_THAT(errorFor(changed), HasSubstr("reference task.reference.cc is wrong: it does not"));
  changed = text;
  changed.replace(changed.find(store), store.size(), "C[i * N + j + M * N] = sum;");
  EXPECT_THAT(errorFor(changed), HasSubstr("is wrong: it writes outside of C"));
  changed = text;
  changed.replace(changed.find("M=24"), 4, "M=99999999");
  EXPECT_THAT(errorFor(changed), HasSubstr("GiB"));
}

}  // namespace
}  // namespace hone::kernel
