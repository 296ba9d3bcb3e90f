// Compiles and runs the code that hone writes, and compares it with hone's simulation.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/process/subprocess.h"
#include "split/fit/test_heuristics.h"
#include "split/source/cpp_code.h"
#include "split/source/source_edit.h"

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;
using test::randomHeuristic;
using test::randomHeuristics;
using test::replicaSource;

/// Returns a random size up to 2^12, small and large magnitudes being equally likely.
std::int64_t someExtent(Random& random) {
  return static_cast<std::int64_t>(random.below(std::size_t{1} << random.below(13))) + 1;
}

Reduction someReduction(Random& random, SourceForm form, ReductionKind kind) {
  Reduction reduction{.kind = kind, .sizes = {someExtent(random), someExtent(random)}};
  reduction.batchSize = 1 + someExtent(random) % 64;
  if (kind == ReductionKind::convolution) {
    reduction.batchFirst = form == SourceForm::functions && random.below(2) == 0;
    reduction.outputChannelSize = someExtent(random);
    reduction.imageSize = someExtent(random);
    reduction.depthSize = 1 + someExtent(random) % 4;
  } else {
    reduction.mSize = someExtent(random);
    reduction.nSize = someExtent(random);
  }
  return reduction;
}

class SourceProgram : public testing::Test {
 protected:
  /// Compiles with all warnings as errors, runs with the input, and returns the numbers it prints.
  std::vector<std::int64_t> runAndParse(const std::string& code, const std::string& input) {
    const auto folder = scratch_.path();
    EXPECT_TRUE(writeFile(folder / "code.cpp", code));
    EXPECT_TRUE(writeFile(folder / "input", input));
    const std::string script =
        "cd \"$0\" && \"$1\" -std=c++17 -Wall -Wextra -Werror code.cpp -o program && "
        "./program < input";
    const auto finished = runCommand(
        {.argv = {"/bin/sh", "-c", script, folder, HONE_CXX}, .environment = {}, .limits = {}});
    EXPECT_TRUE(finished && finished->ending.ok()) << (finished ? finished->err : "") << code;
    std::istringstream out(finished ? finished->out : "");
    std::vector<std::int64_t> numbers;
    for (std::int64_t number = 0; out >> number;) {
      numbers.push_back(number);
    }
    return numbers;
  }

  /// Expects that the replica decides about many operations as the heuristics do.
  void expectDecides(const std::string& code, std::span<const Heuristic> heuristics,
                     Random& random) {
    std::string input;
    std::vector<std::int64_t> expected;  // 0: not split
    for (int i = 0; i < 3000; ++i) {
      const Heuristic& heuristic = heuristics[random.below(heuristics.size())];
      const Reduction one = someReduction(random, heuristic.form, heuristic.kind);
      input += fmt::format("{} {} {} {} {} {} {} {} {}\n",
                           one.kind == ReductionKind::convolution ? 1 : 0, one.batchFirst ? 1 : 0,
                           one.batchSize, one.outputChannelSize, one.imageSize, one.depthSize,
                           one.mSize, one.nSize, fmt::join(one.sizes, " "));
      expected.push_back(chooseLimit(heuristic, one).value_or(0));
    }
    EXPECT_EQ(runAndParse(code, input), expected);
    EXPECT_GT(std::ranges::count(expected, 0), 0);
    EXPECT_LT(std::ranges::count(expected, 0), 3000);
  }

 private:
  ScratchFolder scratch_ = ScratchFolder::create("hone-program-test").value();
};

/// Returns a function that computes the limit, with the declarations that the heuristic's code
/// needs.
std::string functionFor(const Heuristic& heuristic, std::size_t number) {
  const bool chain = heuristic.form == SourceForm::chain;
  const char* summed = chain && heuristic.kind == ReductionKind::matmul ? "kSize" : "reductionSize";
  return fmt::format(
      "int64_t limit{}([[maybe_unused]] int64_t outputSize, [[maybe_unused]] int64_t {},\n"
      "    {}) {{\n{}\n{}}}\n",
      number, summed, chain ? "const std::vector<int64_t> &tileSizes" : "int64_t startTileSize",
      fmt::join(ladderCode(heuristic), "\n"), chain ? "  return limitParallelLoops;\n" : "");
}

TEST_F(SourceProgram, LaddersMatchSimulation) {
  Random random(11);
  std::string functions =
      "#include <algorithm>\n#include <cstdint>\n#include <cstdio>\n"
      "#include <vector>\n";
  std::string body;
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < 60; ++i) {
    const auto form = i % 2 == 0 ? SourceForm::chain : SourceForm::functions;
    const auto kind = i % 4 < 2 ? ReductionKind::convolution : ReductionKind::matmul;
    const Heuristic heuristic = randomHeuristic(random, form, kind);
    functions += functionFor(heuristic, i);
    for (int tries = 0; tries < 30; ++tries) {
      const Reduction one = someReduction(random, form, kind);
      const std::string loop = std::to_string(one.startSize());
      const std::string start = form == SourceForm::chain ? "{" + loop + "}" : loop;
      body += fmt::format("  std::printf(\"%lld\\n\", (long long)limit{}({}, {}, {}));\n", i,
                          one.outputSize(), one.reductionSize(), start);
      expected.push_back(chooseLimit(heuristic.ladder, one));
    }
  }
  EXPECT_EQ(runAndParse(functions + "int main() {\n" + body + "}\n", ""), expected);
}

TEST_F(SourceProgram, EditedSourcesMatchHeuristics) {
  for (const SourceForm form : {SourceForm::chain, SourceForm::functions}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      Random random(seed);
      auto heuristics = randomHeuristics(random, form);
      for (Heuristic& heuristic : heuristics) {
        heuristic.returns = {.largeParallel = form == SourceForm::chain ? 1000 : 1'000'000,
                             .smallReduction = 20000,
                             .ratio = 50};
        if (seed == 0) {
          heuristic.ladder.bands.clear();  // leaves the output size unused
        }
      }
      const auto code = withHeuristics(replicaSource(form), "f", heuristics);
      ASSERT_TRUE(code) << code.error().message;
      expectDecides(*code, heuristics, random);
    }
  }
}

TEST_F(SourceProgram, FixedLimitAppliesToAllOperations) {
  for (const SourceForm form : {SourceForm::chain, SourceForm::functions}) {
    const auto code = withFixedLimit(replicaSource(form), "f", 96);
    ASSERT_TRUE(code) << code.error().message;
    const std::string input =
        "1 0 1 1 1 1 1 1 1 1\n0 0 1 1 1 1 1 1 1 1\n"
        "1 1 4096 4096 4096 9 1 1 5 7\n0 0 9 1 1 1 4096 4096 5 7\n";
    EXPECT_EQ(runAndParse(*code, input), (std::vector<std::int64_t>{96, 96, 96, 96}));
  }
}

}  // namespace
}  // namespace hone::split
