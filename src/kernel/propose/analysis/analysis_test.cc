#include "kernel/propose/analysis/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernel/nest/test_nests.h"

namespace hone::kernel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Task matmulTask() {
  Task task;
  task.name = "matmul";
  task.shape.sizes = {{"M", 480}, {"N", 480}, {"K", 480}};
  const model::TensorType square{{480, 480}, model::ElementType::f32};
  task.shape.inputs = {{"A", square}, {"B", square}};
  task.shape.outputs = {{"C", square}};
  task.shape.flops = 2.0 * 480 * 480 * 480;
  return task;
}

const Finding* findByTechnique(const Analysis& analysis, std::string_view technique) {
  for (const Finding& finding : analysis.findings) {
    if (finding.technique == technique) {
      return &finding;
    }
  }
  return nullptr;
}

TEST(Analysis, FindsKnownFlawOfEachExample) {
  struct Flaw {
    std::string example;
    std::string technique;
    Side side;
    std::string evidence;
  };
  const std::vector<Flaw> flaws = {
      {"matmul", "loop-order", Side::memory, "line 10: B[k * N + j] in the loop over k"},
      {"matmul", "packing", Side::memory, "line 10"},
      {"elementwise", "loop-order", Side::memory, "line 7: X[i * C + j] in the loop over i"},
      {"softmax", "cached-exp", Side::algorithm, "line 18"},
      {"softmax", "vectorization", Side::computation, "line "},
      {"layer_norm", "hoisting", Side::computation, "line 21"},
      {"layer_norm", "one-pass-statistics", Side::algorithm, "two loops"},
      {"row_reduction", "vectorization", Side::computation, "line 8: sum += "},
      {"conv", "register-tile", Side::memory, "line 16"},
      {"conv", "loop-order", Side::memory, "F["},
      {"attention", "online-softmax", Side::algorithm, "S holds H * L * L elements"},
      {"attention", "cached-exp", Side::algorithm, "line 33"},
      {"gelu_chain", "fusion", Side::algorithm, "line 8: biased holds R * C elements"},
  };
  for (const Flaw& flaw : flaws) {
    const Analysis analysis = analyze(matmulTask(), exampleSource(flaw.example), {}, {});
    const Finding* finding = findByTechnique(analysis, flaw.technique);
    ASSERT_NE(finding, nullptr) << flaw.example << ": " << flaw.technique << "\n"
                                << analysis.text();
    EXPECT_EQ(finding->side, flaw.side) << flaw.example << ": " << flaw.technique;
    EXPECT_THAT(finding->evidence, HasSubstr(flaw.evidence)) << flaw.example;
  }
}

TEST(Analysis, ReportsStridesInBytes) {
  const Analysis analysis = analyze(matmulTask(), exampleSource("matmul"), {}, {});
  EXPECT_THAT(findByTechnique(analysis, "loop-order")->evidence,
              HasSubstr("stride of 1,920 bytes"));
}

TEST(Analysis, RooflineIsSlowerOfComputationAndMemory) {
  Measured measured{.kernelNs = 22'118'400, .peakGflops = 100, .peakGbps = 10};
  const Analysis computing = analyze(matmulTask(), exampleSource("matmul"), {}, measured);
  EXPECT_DOUBLE_EQ(computing.rooflineNs, 2'211'840);
  EXPECT_DOUBLE_EQ(computing.share, 0.1);
  measured.kernelNs = 1e9;
  measured.peakGbps = 0.1;
  const Analysis memory = analyze(matmulTask(), exampleSource("matmul"), {}, measured);
  EXPECT_DOUBLE_EQ(memory.rooflineNs, 3 * 480 * 480 * 4 / 0.1);
}

TEST(Analysis, RooflineOfCachedDataIsThatOfCache) {
  constexpr double kBytes = 3 * 480 * 480 * 4;
  const auto bound = [](std::vector<CacheLevel> caches) {
    const Measured measured{
        .kernelNs = 1e12, .peakGflops = 1e6, .peakGbps = 10, .caches = std::move(caches)};
    return analyze(matmulTask(), exampleSource("matmul"), {}, measured).rooflineNs;
  };
  EXPECT_DOUBLE_EQ(bound({}), kBytes / 10);
  EXPECT_DOUBLE_EQ(bound({{2 * kBytes, 40}}), kBytes / 40);
  EXPECT_DOUBLE_EQ(bound({{0.25 * kBytes, 80}, {0.75 * kBytes, 40}}),
                   0.25 * kBytes / 80 + 0.5 * kBytes / 40 + 0.25 * kBytes / 10);
  EXPECT_DOUBLE_EQ(bound({{2 * kBytes, 1}}), kBytes / 10) << "no slower than memory";
}

TEST(Analysis, ShareIsAtMostOne) {
  const Measured measured{.kernelNs = 1000, .peakGflops = 100, .peakGbps = 10};
  const Analysis analysis = analyze(matmulTask(), exampleSource("matmul"), {}, measured);
  EXPECT_DOUBLE_EQ(analysis.share, 1);
  EXPECT_DOUBLE_EQ(analysis.rooflineNs, 1000);
}

TEST(Analysis, ClassifiesBySpeedupOverPyTorch) {
  const auto category = [](double kernelNs, double pytorchNs) {
    return analyze(matmulTask(), exampleSource("matmul"), {},
                   {.kernelNs = kernelNs, .pytorchNs = pytorchNs})
        .category;
  };
  EXPECT_EQ(category(100, 49), Category::critical);
  EXPECT_EQ(category(100, 50), Category::slow);
  EXPECT_EQ(category(100, 79), Category::slow);
  EXPECT_EQ(category(100, 80), Category::moderate);
  EXPECT_EQ(category(100, 120), Category::moderate);
  EXPECT_EQ(category(100, 121), Category::good);
  EXPECT_EQ(category(0, 0), Category::moderate);
}

TEST(Analysis, WeighsLessNearRoofline) {
  const Measured far{.kernelNs = 1e9, .peakGflops = 100, .peakGbps = 10};
  const Measured near{.kernelNs = 2.3e6, .peakGflops = 100, .peakGbps = 10};
  const auto source = exampleSource("matmul");
  EXPECT_GT(analyze(matmulTask(), source, {}, far).findings[0].weight, 0.8);
  EXPECT_LT(analyze(matmulTask(), source, {}, near).findings[0].weight, 0.1);
}

TEST(Analysis, ReadsCompilerRemarks) {
  JudgeResult judged;
  judged.facts.remarks =
      std::vector<std::string>{"line 3: loop vectorized", "line 9: couldn't vectorize loop"};
  judged.facts.gpu.spills = 24;
  judged.facts.gpu.registers = 255;
  const Analysis analysis = analyze(matmulTask(), exampleSource("matmul"), judged, {});
  EXPECT_EQ(findByTechnique(analysis, "compile-flags")->evidence,
            "line 9: couldn't vectorize loop");
  EXPECT_THAT(analysis.text(), HasSubstr("24 bytes spilled"));
}

TEST(Analysis, IgnoresRemarksOfOtherForm) {
  JudgeResult judged;
  judged.facts.remarks = std::vector<std::string>{"the input is 3.14, not vectorized",
                                                  "line 9: not vectorized: INPUT 3.14"};
  const Analysis analysis = analyze(matmulTask(), exampleSource("matmul"), judged, {});
  EXPECT_THAT(analysis.text(), Not(HasSubstr("3.14")));
}

TEST(Analysis, ReportsGpuCompilerFacts) {
  JudgeResult judged;
  judged.facts.timed = false;
  judged.facts.gpu = {.registers = 160, .spills = 0, .sharedMemory = 2048, .threads = 64};
  const Analysis analysis = analyze(matmulTask(), exampleSource("matmul"), judged, {});
  EXPECT_FALSE(analysis.timed);
  EXPECT_THAT(
      analysis.text(),
      testing::StartsWith("not timed; 64 threads per block, 160 registers, 0 bytes spilled, "
                          "2048 bytes of shared memory\n"));
  EXPECT_THAT(analysis.text(), HasSubstr("160 registers per thread: 12 of 64 warps"));
  EXPECT_EQ(toJson(toRecord(analysis))["timed"], false);
  const Measured measured{.peakGflops = 100, .peakGbps = 10};
  const auto text = [&](const JudgeResult& result) {
    return analyze(matmulTask(), exampleSource("matmul"), result, measured).text();
  };
  EXPECT_THAT(text({}), HasSubstr("operations per byte"));
  EXPECT_THAT(text(judged), testing::Not(HasSubstr("operations per byte")))
      << "the rates are those of another machine";
  judged.facts.gpu.registers = 64;
  EXPECT_THAT(analyze(matmulTask(), exampleSource("matmul"), judged, {}).text(),
              testing::Not(HasSubstr("64 warps")));
}

TEST(Analysis, ReadsPerformanceCounters) {
  JudgeResult judged;
  judged.facts.counters = {.instructions = 5e6, .cycles = 1e7, .cacheMisses = 2e4};
  const Analysis analysis = analyze(matmulTask(), exampleSource("matmul"), judged, {});
  EXPECT_THAT(analysis.counters, HasSubstr("0.50 instructions per cycle, 2e+04 cache misses ("));
  EXPECT_THAT(analysis.text(), HasSubstr("the processor stalls on memory. 0.50 instructions"));
  judged.facts.counters->cacheMisses = 10;
  EXPECT_THAT(analyze(matmulTask(), exampleSource("matmul"), judged, {}).text(),
              HasSubstr("the processor stalls on dependences"));
  judged.facts.counters->instructions = 3e7;
  const Analysis busy = analyze(matmulTask(), exampleSource("matmul"), judged, {});
  EXPECT_THAT(busy.text(), HasSubstr("3.00 instructions per cycle"));
  EXPECT_THAT(busy.text(), testing::Not(HasSubstr("the processor stalls")));
  const Analysis none = analyze(matmulTask(), exampleSource("matmul"), {}, {});
  EXPECT_THAT(none.text(), HasSubstr("no performance counters"));
  EXPECT_EQ(toJson(toRecord(none))["counters"], "no performance counters");
}

TEST(Analysis, SuggestsThreadsIfAvailable) {
  const auto source = exampleSource("softmax");
  EXPECT_EQ(findByTechnique(analyze(matmulTask(), source, {}, {}), "threads"), nullptr);
  const Analysis analysis = analyze(matmulTask(), source, {}, {.threads = 4});
  ASSERT_NE(findByTechnique(analysis, "threads"), nullptr);
  EXPECT_EQ(findByTechnique(analysis, "threads")->weight, 0.75);
}

TEST(Analysis, SortsFindingsAndReportsAll) {
  const Analysis analysis = analyze(matmulTask(), exampleSource("attention"), {},
                                    {.kernelNs = 1e9, .peakGflops = 100, .peakGbps = 10});
  ASSERT_GT(analysis.findings.size(), 3U);
  for (std::size_t i = 1; i < analysis.findings.size(); ++i) {
    EXPECT_GE(analysis.findings[i - 1].weight, analysis.findings[i].weight);
  }
  const nlohmann::json json = toJson(toRecord(analysis));
  EXPECT_EQ(json["category"], "critical");
  EXPECT_EQ(json["findings"].size(), analysis.findings.size());
  EXPECT_EQ(json["strategies"].size(), 4U);
  for (const Finding& finding : analysis.findings) {
    EXPECT_THAT(analysis.text(), HasSubstr(finding.evidence));
  }
}

}  // namespace
}  // namespace hone::kernel
