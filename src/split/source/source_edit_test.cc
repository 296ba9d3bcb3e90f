#include "split/source/source_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <re2/re2.h>
#include <re2/stringpiece.h>

#include "base/text/text.h"
#include "split/fit/test_heuristics.h"
#include "split/source/cpp_code.h"
#include "split/source/source_form.h"

namespace hone::split {
namespace {

using model::ReductionKind;
using test::randomHeuristics;
using test::replicaSource;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kFile = "tree/SetSplitReductionSizes.cpp";
constexpr std::string_view kOtherForm =
    "; hone supports only the two forms described in docs/split.md";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

std::string withCrlf(const std::string& text) { return join(splitAt(text, '\n'), "\r\n"); }

Heuristic readHeuristic(const std::string& text, ReductionKind kind) {
  return heuristicIn(readSource(text, "f").value(), kind).value();
}

std::string editError(const std::string& text, std::span<const Heuristic> heuristics) {
  const auto changed = withHeuristics(text, kFile, heuristics);
  return changed ? "" : changed.error().message;
}

Heuristic exampleHeuristic() {
  return {.kind = ReductionKind::convolution,
          .form = SourceForm::chain,
          .returns = {512, 368, 28},
          .ladder = {.bands = {{1024, {}, 512}, {16384, {{50000, 16}}, 64}}, .cap = 16}};
}

TEST(SourceForm, DetectsForm) {
  for (const SourceForm form : {SourceForm::chain, SourceForm::functions}) {
    const std::string text = replicaSource(form);
    EXPECT_EQ(detectForm(readSource(text, "f").value()).value(), form);
  }
  const std::string other = "int main() {\n  return 0;\n}\n";
  EXPECT_EQ(detectForm(readSource(other, "f").value()).error().message,
            "f:1: function getMatmulLikeReductionSizes not found" + std::string(kOtherForm));
}

TEST(SourceForm, ParsesHeuristicOfFile) {
  const Heuristic was = readHeuristic(replicaSource(SourceForm::chain), ReductionKind::convolution);
  EXPECT_EQ(was.returns, (EarlyReturns{512, 8192, 64}));
  EXPECT_EQ(was.ladder, (Ladder{{{1024, {}, 2048}, {65536, {}, 64}}, 16}));
  const std::string text = replicaSource(SourceForm::chain);
  EXPECT_THAT(heuristicIn(readSource(text, "f").value(), ReductionKind::matmul).error().message,
              HasSubstr("unsupported ladder: expected ')', got '||'"));
}

TEST(WithHeuristics, ChangesOnlyConstantsAndChain) {
  const std::string text = replicaSource(SourceForm::chain);
  std::string expected = replaced(text, "largeReductionSize = 8192", "largeReductionSize = 368");
  expected = replaced(expected, "ratioThreshold = 64", "ratioThreshold = 28");
  expected = replaced(expected, R"(  int64_t limitParallelLoops; // which } of these
  if (outputSize < 32 * 32) {
    limitParallelLoops = 2048;
  } else if (outputSize < 256 * 256) {
    limitParallelLoops = 64;
)",
                      R"(  int64_t limitParallelLoops;
  if (outputSize < 32 * 32) {
    limitParallelLoops = 512;
  } else if (outputSize < 128 * 128) {
    if (reductionSize < 50000) {
      limitParallelLoops = 16;
    } else {
      limitParallelLoops = 64;
    }
)");
  EXPECT_EQ(withHeuristics(text, kFile, std::vector{exampleHeuristic()}).value(), expected);
}

TEST(WithHeuristics, ReplacesBodiesOfFunctions) {
  const Heuristic heuristic{.kind = ReductionKind::matmul,
                            .form = SourceForm::functions,
                            .returns = {8388608, 18000, 48},
                            .ladder = {.bands = {{16384, {}, 64}}, .cap = 16}};
  const std::string text = replicaSource(SourceForm::functions);
  const std::string changed = withHeuristics(text, kFile, std::vector{heuristic}).value();
  EXPECT_THAT(changed, HasSubstr(R"(bool lowParallelism) {
  (void)reductionSize;
  (void)lowParallelism;
  if (outputSize < 128 * 128) {
    return 64;
  }
  return std::min<int64_t>(16, startTileSize);
}

static std::optional<SmallVector<int64_t>>
getMatmulLikeReductionSizes()"));
  EXPECT_THAT(changed, HasSubstr("largeOutputSize = 2048 * 4096;"));  // unchanged value
  const std::size_t edit = text.find("  // Small outputs");
  EXPECT_EQ(changed.substr(0, edit), text.substr(0, edit));
}

TEST(WithHeuristics, SuppressesUnusedVariableWarnings) {
  Heuristic heuristic = exampleHeuristic();
  heuristic.ladder.bands.clear();
  const std::string changed =
      withHeuristics(replicaSource(SourceForm::chain), kFile, std::vector{heuristic}).value();
  EXPECT_THAT(changed, HasSubstr("  int64_t limitParallelLoops;\n  (void)outputSize;\n"
                                 "  limitParallelLoops = std::min<int64_t>(16, tileSizes[0]);"));
  EXPECT_THAT(changed, Not(HasSubstr("(void)reductionSize")));  // the early returns use it
  // Inserted code can be replaced again without remains.
  EXPECT_EQ(withHeuristics(changed, kFile, std::vector{exampleHeuristic()}).value(),
            withHeuristics(replicaSource(SourceForm::chain), kFile, std::vector{exampleHeuristic()})
                .value());
}

TEST(WithHeuristics, KeepsIndentationOfMembers) {
  std::string text = replicaSource(SourceForm::chain);
  text = replaced(text, "  int64_t limitParallelLoops;", "    int64_t limitParallelLoops;");
  EXPECT_THAT(withHeuristics(text, kFile, std::vector{exampleHeuristic()}).value(),
              HasSubstr("\n    int64_t limitParallelLoops;\n    if (outputSize < 32 * 32) {\n"
                        "      limitParallelLoops = 512;\n"));
}

TEST(WithHeuristics, RejectsMismatchedHeuristics) {
  Random random(1);
  const std::string chain = replicaSource(SourceForm::chain);
  const auto functions = randomHeuristics(random, SourceForm::functions);
  EXPECT_THAT(editError(chain, functions), HasSubstr("code for convolution has form 'chain'"));
  EXPECT_THAT(editError(chain, std::vector{exampleHeuristic(), exampleHeuristic()}),
              HasSubstr("expected one heuristic for convolution"));
  Heuristic zero = exampleHeuristic();
  zero.ladder.bands[1].steps[0].limit = 0;
  EXPECT_THAT(editError(chain, std::vector{zero}), HasSubstr("sizes and limits at least 1"));
}

/// A replacement in a replica, and the expected error.
struct Damage {
  SourceForm form;
  std::string what;
  std::string by;
  std::string error;
};

TEST(WithHeuristics, RejectsUnsupportedSourceWithLine) {
  const std::vector<Damage> all = {
      {SourceForm::chain, "const int64_t largeKSize = 24576", "const int64_t largeKSize = limit()",
       ":96: expected 'const int64_t largeKSize = NUMBER;' in getMatmulLikeReductionSizes"},
      {SourceForm::chain, "const int64_t largeKSize", "int64_t largeKSize",
       "const int64_t largeKSize"},
      {SourceForm::chain, "const int64_t largeMNSize = 1024;", "",
       ":99: expected 'const int64_t largeMNSize = NUMBER;'"},
      {SourceForm::chain, "  } // behind the chain", "  limitParallelLoops += 1;\n  }",
       ":79: expected"},
      {SourceForm::chain, "  } // behind the chain", "  }\n  limitParallelLoops = 5;",
       ":80: limitParallelLoops is set again"},
      {SourceForm::chain, "} else {\n    limitParallelLoops = std::min",
       "}\n  {\n    limitParallelLoops = std::min", ":78: expected"},
      {SourceForm::chain, "getWeightBackwardReductionSizes(const Operation &op, int64_t target) {",
       "getOther(const Operation &op, int64_t target) {",
       ":1: function getWeightBackwardReductionSizes not found"},
      {SourceForm::chain, "  int64_t outputSize = outputChannelSize",
       "  auto outputSize = batchSize", "has no 'int64_t outputSize = …;' before this line"},
      {SourceForm::chain, "  // The chain,", "#ifdef FAST\n  int x;\n#endif\n  // The chain",
       ":70: getWeightBackwardReductionSizes has a preprocessor line"},
      {SourceForm::chain, "  if (ratio <= ratioThreshold && reductionSize < largeReductionSize) {",
       "  while (ratio <= ratioThreshold && reductionSize < largeReductionSize) {",
       ":67: expected a return of the form"},
      {SourceForm::chain, "  if (ratio <= ratioThreshold && reductionSize",
       "  if (false && reductionSize", ":65: this early return is disabled"},
      {SourceForm::functions, "int64_t startTileSize,\n    ", "int64_t start,\n   ",
       "getMatmulLimitParallelLoops has no parameter 'int64_t startTileSize'"},
      {SourceForm::functions,
       "static std::optional<int64_t> getMatmulLimitParallelLoops(int64_t out",
       "static double getMatmulLimitParallelLoops(int64_t out", "does not return"},
      {SourceForm::functions, "maybeLimit = getMatmulLimitParallelLoops(", "maybeLimit = other(",
       "must call getMatmulLimitParallelLoops once, calls it 0 times"},
      {SourceForm::functions, "} // namespace",
       "static std::optional<int64_t>\n"
       "getMatmulLimitParallelLoops(int64_t outputSize) { return 5; }\n} // namespace",
       "second definition of getMatmulLimitParallelLoops"},
      {SourceForm::functions, "  return tileSizes;\n}", "  return tileSizes;\n", "unmatched"},
  };
  Random random(2);
  for (const Damage& damage : all) {
    std::string text = replicaSource(damage.form);
    if (damage.what.contains("getMatmulLimitParallelLoops(int64_t out")) {
      text = replaced(text, damage.what, "static std::optional<int64_t> shield(int64_t out");
    }
    text = replaced(text, damage.what, damage.by);
    const std::string error = editError(text, randomHeuristics(random, damage.form));
    EXPECT_THAT(error, StartsWith(std::string(kFile) + ":")) << damage.what;
    EXPECT_THAT(error, HasSubstr(damage.error)) << damage.what;
  }
}

TEST(WithHeuristics, RejectsChainWithOtherMeaningOfConstants) {
  std::string text = replicaSource(SourceForm::chain);
  for (int i = 0; i < 3; ++i) {
    text = replaced(text, "getWeightBackwardReductionSizes(", "getConvolutionReductionSizes(");
  }
  EXPECT_THAT(editError(text, std::vector{exampleHeuristic()}),
              HasSubstr("expected the chain in getWeightBackwardReductionSizes, found it in "
                        "getConvolutionReductionSizes"));
  EXPECT_TRUE(withFixedLimit(text, kFile, 8));  // this does not depend on them
}

RC_GTEST_PROP(WithHeuristics, RoundTrips, (std::uint64_t seed, bool chain, bool crlf)) {
  Random random(seed);
  const SourceForm form = chain ? SourceForm::chain : SourceForm::functions;
  const std::string text = crlf ? withCrlf(replicaSource(form)) : replicaSource(form);
  auto heuristics = randomHeuristics(random, form);
  heuristics.resize(1 + random.below(2));
  const auto changed = withHeuristics(text, kFile, heuristics);
  RC_ASSERT(changed.has_value());
  for (const Heuristic& heuristic : heuristics) {
    RC_ASSERT(readHeuristic(*changed, heuristic.kind) == heuristic);
  }
  if (crlf) {
    RC_ASSERT(std::ranges::count(*changed, '\n') == std::ranges::count(*changed, '\r'));
  }
  RC_ASSERT(withHeuristics(*changed, kFile, heuristics).value() == *changed);
}

TEST(WithFixedLimit, DisablesOriginalCode) {
  const std::string text = replicaSource(SourceForm::chain);
  const std::string changed = withFixedLimit(text, kFile, 96).value();
  EXPECT_THAT(changed, HasSubstr(R"(  int64_t limitParallelLoops;
  (void)outputSize;
  limitParallelLoops = 96;
#if 0  // hone: original code, disabled while a fixed limit is measured
 // which } of these
  if (outputSize < 32 * 32) {)"));
  EXPECT_THAT(changed, HasSubstr("  }\n#endif\n // behind the chain\n"));
  EXPECT_THAT(changed, HasSubstr("  if (false && (outputChannelSize >= largeParallelSize &&\n"
                                 "      batchSize >= largeParallelSize) /* ) { */) {"));
  EXPECT_THAT(changed, HasSubstr("  if (false && (mSize > largeMNSize || nSize > largeMNSize)) {"));
  EXPECT_THAT(changed, HasSubstr("  if (op.sums.empty() || target < 0) {"));
  EXPECT_THAT(withFixedLimit(changed, kFile, 8).error().message, HasSubstr("is disabled"));
  EXPECT_FALSE(withFixedLimit(text, kFile, 0));
}

TEST(WithFixedLimit, ReturnsLimitFromFunctions) {
  const std::string changed =
      withFixedLimit(replicaSource(SourceForm::functions), kFile, 96).value();
  EXPECT_THAT(changed, HasSubstr(R"(bool lowParallelism) {
  (void)outputSize;
  (void)reductionSize;
  (void)startTileSize;
  (void)lowParallelism;
  return 96;
#if 0  // hone: original code, disabled while a fixed limit is measured
  // Small outputs)"));
  EXPECT_THAT(changed, HasSubstr("startTileSize);\n#endif\n // the last } of it\n}"));
  EXPECT_THAT(changed, HasSubstr("if (false && (outputSize >= 2 * 1024 * 1024 && reductionSize"));
  EXPECT_THAT(changed, HasSubstr("if (!maybeLimit) {"));
}

TEST(WithFixedLimit, KeepsConditionThatCallsLimitFunction) {
  std::string text = replicaSource(SourceForm::functions);
  text = replaced(text, "maybeLimit = getMatmulLimitParallelLoops(",
                  "maybeLimit;\n  if (!(maybeLimit = getMatmulLimitParallelLoops(");
  text = replaced(text, "outputSize, kSize, tileSizes[0], lowParallelism);\n  if (!maybeLimit) {",
                  "outputSize, kSize, tileSizes[0], lowParallelism))) {");
  EXPECT_THAT(withFixedLimit(text, kFile, 96).value(), HasSubstr("\n  if (!(maybeLimit = get"));
}

TEST(WithFixedLimit, KeepsLineEnds) {
  for (const SourceForm form : {SourceForm::chain, SourceForm::functions}) {
    const std::string changed = withFixedLimit(withCrlf(replicaSource(form)), kFile, 96).value();
    EXPECT_EQ(changed, withCrlf(withFixedLimit(replicaSource(form), kFile, 96).value()));
  }
}

/// Returns the text with one token removed, doubled or replaced.
std::string mutated(const std::string& text, Random& random) {
  const Source source = readSource(text, "f").value();
  const auto& tokens = source.tokens;
  const Token& token = tokens[random.below(tokens.size())];
  const std::string_view other = tokens[random.below(tokens.size())].text;
  std::string by;
  switch (random.below(5)) {
    case 0:
      break;
    case 1:
      by = fmt::format("{} {}", token.text, token.text);
      break;
    case 2:
      by = fmt::format("{}x", token.text);
      break;
    case 3:
      by = other;
      break;
    default:
      by = std::string(1, static_cast<char>(random.below(256)));
      break;
  }
  return std::string(text).replace(token.begin, token.end - token.begin, by);
}

/// Returns the number of matches of the pattern.
std::ptrdiff_t countMatches(const std::string& text, const std::string& pattern) {
  re2::StringPiece rest(text);
  const RE2 regex(pattern, RE2::Latin1);
  std::ptrdiff_t count = 0;
  while (RE2::FindAndConsume(&rest, regex)) {
    ++count;
  }
  return count;
}

/// Expects, without hone's parser, that the text contains the code and every constant.
void expectEdited(const std::string& changed, const Heuristic& heuristic) {
  std::string code;
  for (const std::string& line : ladderCode(heuristic)) {
    if (!line.contains("int64_t limitParallelLoops;")) {
      code += line + "\n";
    }
  }
  EXPECT_THAT(changed, HasSubstr(code.substr(0, code.size() - 1)));
  for (const NamedConstant& constant : listConstants(heuristic)) {
    const auto declared =
        fmt::format(R"(const(expr)?\s+int64_t\s+{}\s+=\s+{};)", constant.name, constant.value);
    EXPECT_GE(countMatches(changed, declared), 1) << declared;
  }
}

TEST(WithHeuristics, RejectsOrCorrectlyEditsDamagedSource) {
  int refused = 0;
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const SourceForm form = random.below(2) == 0 ? SourceForm::chain : SourceForm::functions;
    std::string text = replicaSource(form);
    text = mutated(text, random);
    const auto heuristics = randomHeuristics(random, form);
    const auto fixed = withFixedLimit(text, kFile, 7);
    if (fixed) {
      EXPECT_GE(countMatches(*fixed, "(limitParallelLoops =|return) 7;\n#if 0"), 2) << seed;
    }
    const auto changed = withHeuristics(text, kFile, heuristics);
    if (!changed) {
      ++refused;
      EXPECT_THAT(changed.error().message, Not(HasSubstr("does not parse back"))) << seed;
      continue;
    }
    ++taken;
    for (const Heuristic& heuristic : heuristics) {
      SCOPED_TRACE(seed);
      expectEdited(*changed, heuristic);
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace hone::split
