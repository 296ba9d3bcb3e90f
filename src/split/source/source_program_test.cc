// Compiles and runs sources, as they are and with the code that hone writes, and compares them with
// hone's simulation.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/process/subprocess.h"
#include "split/fit/test_heuristics.h"
#include "split/source/cpp_code.h"
#include "split/source/source_edit.h"
#include "split/source/source_rule.h"
#include "tests/source_folder.h"

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;
using test::kReplicas;
using test::randomHeuristic;
using test::randomHeuristics;
using test::Replica;
using test::replicaSource;

constexpr int kOperations = 4000;

/// An operation and the class of the target.
struct Target {
  Reduction reduction;
  bool lowParallelism = false;
};

class SourceProgram : public testing::Test {
 protected:
  /// Compiles with all warnings as errors, runs with the input, and returns the numbers it prints.
  std::vector<std::int64_t> runAndParse(const std::string& code, const std::string& input) {
    const auto folder = scratch_.path();
    EXPECT_TRUE(writeFile(folder / "code.cpp", code));
    EXPECT_TRUE(writeFile(folder / "input", input));
    const std::string script =
        "cd \"$0\" && \"$1\" -std=c++17 -Wall -Wextra -Werror -I \"$2\" code.cpp -o program && "
        "./program < input";
    const auto finished = runCommand({.argv = {"/bin/sh", "-c", script, folder, HONE_CXX,
                                               sourceFolder() / "src/split/source/testdata"},
                                      .environment = {},
                                      .limits = {}});
    EXPECT_TRUE(finished && finished->ending.ok()) << (finished ? finished->err : "") << code;
    std::istringstream out(finished ? finished->out : "");
    std::vector<std::int64_t> numbers;
    for (std::int64_t number = 0; out >> number;) {
      numbers.push_back(number);
    }
    return numbers;
  }

  /// Returns the limits that the compiled source gives the operations; 0: not split.
  std::vector<std::int64_t> runLimits(const std::string& code, const std::vector<Target>& targets) {
    std::string input;
    for (const auto& [one, low] : targets) {
      input += fmt::format("{} {} {} {} {} {} {} {} {} {}\n",
                           one.kind == ReductionKind::convolution ? 1 : 0, one.batchFirst ? 1 : 0,
                           low ? 1 : 0, one.batchSize, one.outputChannelSize, one.imageSize,
                           one.depthSize, one.mSize, one.nSize, fmt::join(one.sizes, " "));
    }
    return runAndParse(code, input);
  }

 private:
  ScratchFolder scratch_ = ScratchFolder::create("hone-program-test").value();
};

/// Returns random operations that reach the code of the replica.
std::vector<Target> randomTargets(Random& random, const Replica& replica) {
  std::vector<Target> targets;
  for (int i = 0; i < kOperations; ++i) {
    const auto kind = random.below(2) == 0 ? ReductionKind::convolution : ReductionKind::matmul;
    Target target{randomReduction(random, kind), random.below(4) == 0};
    target.reduction.batchFirst =
        target.reduction.batchFirst && replica.convolution == SourceForm::functions;
    targets.push_back(std::move(target));
  }
  return targets;
}

/// Returns the limits by hone's reading of the source.
std::vector<std::int64_t> limitsByReading(const std::string& text,
                                          const std::vector<Target>& targets) {
  const Source source = readSource(text, "f").value();
  const auto convolution = readRule(source, ReductionKind::convolution);
  const auto matmul = readRule(source, ReductionKind::matmul);
  EXPECT_TRUE(convolution) << convolution.error().message;
  EXPECT_TRUE(matmul) << matmul.error().message;
  std::vector<std::int64_t> limits;
  for (const auto& [one, low] : targets) {
    const auto& rule = one.kind == ReductionKind::convolution ? *convolution : *matmul;
    limits.push_back(limitUnder(rule, one, low).value().value_or(0));
  }
  return limits;
}

TEST_F(SourceProgram, ReadingMatchesCompiledSource) {
  for (const Replica& replica : kReplicas) {
    SCOPED_TRACE(replica.file);
    Random random(5);
    const auto targets = randomTargets(random, replica);
    EXPECT_EQ(runLimits(replica.text(), targets), limitsByReading(replica.text(), targets));
  }
}

/// Returns a function that computes the limit, with the declarations that the heuristic's code
/// needs.
std::string functionFor(const Heuristic& heuristic, std::size_t number) {
  const bool chain = heuristic.form == SourceForm::chain;
  const char* summed = chain && heuristic.kind == ReductionKind::matmul ? "kSize" : "reductionSize";
  return fmt::format(
      "std::optional<int64_t> limit{}(int64_t outputSize, int64_t {}, [[maybe_unused]] {}) {{\n"
      "{}{}\n}}\n",
      number, summed,
      chain ? "const std::vector<int64_t> &tileSizes"
            : "int64_t startTileSize, bool lowParallelism = false",
      fmt::join(ladderCode(heuristic), "\n"),
      chain ? " else {\n    limitParallelLoops = -1;\n  }\n  return limitParallelLoops;"
            : "\n  return -1;");
}

TEST_F(SourceProgram, LaddersMatchSimulation) {
  Random random(11);
  std::string functions =
      "#include <algorithm>\n#include <cstdint>\n#include <cstdio>\n#include <optional>\n"
      "#include <vector>\n";
  std::string body;
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < 60; ++i) {
    const auto form = i % 2 == 0 ? SourceForm::chain : SourceForm::functions;
    const auto kind = i % 4 < 2 ? ReductionKind::convolution : ReductionKind::matmul;
    Heuristic heuristic = randomHeuristic(random, form, kind);
    heuristic.ladder.cap = i % 8 < 2 ? kNoSplit : heuristic.ladder.cap;
    const auto code = ladderCode(heuristic);
    EXPECT_EQ(fmt::format("{}", fmt::join(code, "\n")).find("std::min<int64_t>(1,"),
              std::string::npos);
    functions += functionFor(heuristic, i);
    for (int tries = 0; tries < 30; ++tries) {
      Reduction one = randomReduction(random, kind);
      one.batchFirst = one.batchFirst && form == SourceForm::functions;
      const std::string loop = std::to_string(one.startSize());
      const std::string start = form == SourceForm::chain ? "{" + loop + "}" : loop;
      body +=
          fmt::format("  std::printf(\"%lld\\n\", (long long)limit{}({}, {}, {}).value_or(0));\n",
                      i, one.outputSize(), one.reductionSize(), start);
      const bool measured = heuristic.range.contains(one.outputSize(), one.reductionSize());
      expected.push_back(measured ? chooseLimit(heuristic.ladder, one).value_or(0) : -1);
    }
  }
  EXPECT_EQ(runAndParse(functions + "int main() {\n" + body + "}\n", ""), expected);
  EXPECT_GT(std::ranges::count(expected, -1), 100);
  EXPECT_LT(std::ranges::count(expected, -1), 1700);
}

/// Returns heuristics with constants that decide differently about some operations.
std::vector<Heuristic> someHeuristics(Random& random, const Replica& replica, std::uint64_t seed) {
  auto heuristics = randomHeuristics(random, replica);
  for (Heuristic& heuristic : heuristics) {
    const bool chain = heuristic.form == SourceForm::chain;
    heuristic.returns = {.largeParallel = chain ? 1000 : 1'000'000,
                         .smallReduction = 20000,
                         .ratio = 50,
                         .modestReduction = chain ? 0 : 100000};
    if (seed % 3 == 0) {
      heuristic.returns = compilersReturns(heuristic.form, heuristic.kind);
    }
    if (seed == 0) {
      heuristic.ladder.bands.clear();
    }
  }
  return heuristics;
}

TEST_F(SourceProgram, EditedSourcesMatchHeuristicsInRangeAndOriginalElsewhere) {
  for (const Replica& replica : kReplicas) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", replica.file, seed));
      Random random(seed);
      const auto heuristics = someHeuristics(random, replica, seed);
      const auto code = withHeuristics(replica.text(), "f", heuristics);
      ASSERT_TRUE(code) << code.error().message;
      const auto targets = randomTargets(random, replica);
      std::vector<std::int64_t> expected = limitsByReading(replica.text(), targets);
      const bool hasLow = replica.text().contains("bool lowParallelism");
      std::size_t measured = 0;
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto& [one, low] = targets[i];
        const bool conv = one.kind == ReductionKind::convolution;
        const Heuristic& heuristic = heuristics[conv ? 0 : 1];
        const bool guarded = low && hasLow && (conv || replica.file != kReplicas[4].file);
        if (!guarded && heuristic.range.contains(one.outputSize(), one.reductionSize())) {
          expected[i] = chooseLimit(heuristic, one).value_or(0);
          ++measured;
        }
      }
      EXPECT_GT(measured, 0U);
      EXPECT_LT(measured, targets.size());
      EXPECT_EQ(runLimits(*code, targets), expected);
    }
  }
}

TEST_F(SourceProgram, FixedLimitAppliesToAllOperations) {
  for (const Replica& replica : kReplicas) {
    SCOPED_TRACE(replica.file);
    const auto code = withFixedLimit(replica.text(), "f", 96);
    ASSERT_TRUE(code) << code.error().message;
    const std::string input =
        "1 0 0 1 1 1 1 1 1 1 1\n0 0 0 1 1 1 1 1 1 1 1\n"
        "1 1 1 4096 4096 4096 9 1 1 5 7\n0 0 0 9 1 1 1 4096 4096 5 7\n";
    EXPECT_EQ(runAndParse(*code, input), (std::vector<std::int64_t>{96, 96, 96, 96}));
  }
}

}  // namespace
}  // namespace hone::split
