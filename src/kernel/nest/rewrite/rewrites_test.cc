#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest_parser.h"
#include "kernel/nest/nest_printer.h"
#include "kernel/nest/normal_form.h"
#include "kernel/nest/rewrite/cache_calls.h"
#include "kernel/nest/rewrite/fuse_loops.h"
#include "kernel/nest/rewrite/hoist_invariants.h"
#include "kernel/nest/rewrite/one_pass_statistics.h"
#include "kernel/nest/rewrite/order_loops.h"
#include "kernel/nest/rewrite/tile_contractions.h"
#include "kernel/nest/rewrite/use_threads.h"
#include "kernel/nest/rewrite/vectorize_loops.h"
#include "kernel/nest/sum_nest.h"
#include "kernel/nest/test_nests.h"

namespace hone::kernel::nest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Function parseBody(const std::string& body) {
  auto parsed = parse(
      "#include <cmath>\nextern \"C\" void kernel(const float* X, const float* B, float* Y, float* "
      "Z, std::int64_t N, std::int64_t M) {\n" +
      body + "\n}\n");
  EXPECT_TRUE(parsed) << parsed.error().message;
  return normalize(*std::move(parsed)).value();
}

Function exampleFunction(const std::string& name) {
  return normalize(parse(exampleSource(name).text).value()).value();
}

const Knobs kVectorKnobs = {{"width", 16}, {"unroll", 4}};

/// Expects that the rewrite does not apply and leaves the function unchanged.
void expectRejected(bool (*rewrite)(Function&, const Knobs&), const std::string& body,
                    const Knobs& knobs = {}) {
  const Function before = parseBody(body);
  Function after = before;
  EXPECT_FALSE(rewrite(after, knobs)) << print(after);
  EXPECT_EQ(before, after);
}

TEST(Affine, ComputesStridesAndRanges) {
  const auto at = toPolynomial(parseBody("  Y[(i * N + j) * 3 + 1] = 0;").body[0].target.args[0]);
  ASSERT_TRUE(at);
  EXPECT_EQ(print(at->coefficientOf("j")->expression()), "3");
  EXPECT_EQ(print(at->coefficientOf("i")->expression()), "3 * N");
  EXPECT_FALSE(at->times(Polynomial::variable("i")).coefficientOf("i"));
  EXPECT_EQ(at->evaluate({{"i", 2}, {"N", 10}, {"j", 4}}), 73);
  const Stmt i = loopOver("i", number(0), name("M"), {});
  const Stmt j = loopOver("j", number(0), name("N"), {});
  EXPECT_TRUE(neverOverlaps(*at, "j", {}));
  EXPECT_TRUE(neverOverlaps(*at, "i", {&j}));
  const auto rows =
      Polynomial::variable("i").times(Polynomial::variable("N")).plus(Polynomial::variable("j"));
  EXPECT_TRUE(neverOverlaps(rows, "i", {&j}));
  EXPECT_FALSE(neverOverlaps(rows, "j", {&i}));
  EXPECT_TRUE(isInjective(rows, {&j, &i}));
  const Stmt wider = loopOver("j", number(0), binary("+", name("N"), number(1)), {});
  EXPECT_FALSE(isInjective(rows, {&wider, &i}));
}

TEST(Fusion, FusesLoopsAndReplacesTemporaries) {
  Function function = exampleFunction("gelu_chain");
  ASSERT_TRUE(fuseLoops(function, {{"rows", 64}}));
  const std::string text = print(function);
  EXPECT_THAT(text, Not(HasSubstr("std::vector")));
  ASSERT_EQ(function.body.size(), 1U);
  ASSERT_EQ(function.body[0].body.size(), 1U);
}

TEST(Fusion, InterleavesNestsByBlocks) {
  Function function = exampleFunction("attention");
  ASSERT_TRUE(fuseLoops(function, {{"rows", 32}}));
  const std::string text = print(function);
  EXPECT_THAT(text, HasSubstr("iBlock += 32"));
  EXPECT_THAT(text, HasSubstr("S(32 * L)"));
}

TEST(Fusion, RejectsLoopCarriedDependences) {
  const std::string temporary = "  std::vector<float> t(N + 1);\n";
  expectRejected(fuseLoops, temporary + R"(
  for (int i = 0; i < N; ++i) { t[i] = X[i]; }
  for (int i = 0; i < N; ++i) { Y[i] = t[i + 1]; })");
  expectRejected(fuseLoops, R"(
  float sum = 0.0f;
  for (int i = 0; i < N; ++i) { sum += X[i]; }
  for (int i = 0; i < N; ++i) { Y[i] = X[i] / sum; })");
  expectRejected(fuseLoops, R"(
  for (int i = 0; i < N; ++i) { Y[i] = X[i]; }
  for (int i = 0; i < M; ++i) { Z[i] = X[i]; })");
  expectRejected(fuseLoops, R"(
  for (int i = 0; i < N; ++i) { Z[0] = X[i]; }
  for (int i = 0; i < N; ++i) { Y[i] = Z[0]; })");
}

TEST(LoopOrder, MakesContiguousLoopInnermost) {
  Function function = exampleFunction("elementwise");
  ASSERT_TRUE(orderLoops(function, {}));
  EXPECT_EQ(function.body[0].name, "i");
  EXPECT_EQ(function.body[0].body[0].name, "j");
  Function sum = exampleFunction("matmul");
  ASSERT_TRUE(orderLoops(sum, {}));
  EXPECT_THAT(print(sum), HasSubstr("C[i * N + j] += A[i * K + k] * B[k * N + j];"));
}

TEST(LoopOrder, RejectsOrderDependentLoops) {
  expectRejected(orderLoops, R"(
  for (int j = 1; j < M; ++j) {
    for (int i = 1; i < N; ++i) { Y[i * M + j] = Y[(i - 1) * M + j] + X[i * M + j]; }
  })");
  expectRejected(orderLoops, R"(
  float last = 0.0f;
  for (int j = 0; j < M; ++j) {
    for (int i = 0; i < N; ++i) { last = last * 0.5f + X[i * M + j]; Y[i * M + j] = last; }
  })");
  expectRejected(orderLoops, R"(
  for (int j = 0; j < M; ++j) {
    for (int i = 0; i < j; ++i) { Y[i * M + j] = X[i * M + j]; }
  })");
}

TEST(CachedExp, ReusesFirstCall) {
  Function function = exampleFunction("softmax");
  ASSERT_TRUE(cacheCalls(function, {}));
  const std::string text = print(function);
  EXPECT_EQ(text.find("std::exp"), text.rfind("std::exp"));
}

TEST(CachedExp, RejectsChangedArguments) {
  expectRejected(cacheCalls, R"(
  float m = 0.0f;
  float sum = 0.0f;
  for (int i = 0; i < N; ++i) { sum += expf(X[i] - m); }
  m = sum;
  for (int i = 0; i < N; ++i) { Y[i] = expf(X[i] - m); })");
  expectRejected(cacheCalls, R"(
  float sum = 0.0f;
  for (int i = 0; i < N; ++i) { sum += expf(Y[i]); }
  for (int i = 0; i < N; ++i) { Y[i] = expf(Y[i]) / sum; })");
}

TEST(Hoisting, HoistsInvariants) {
  Function function = exampleFunction("layer_norm");
  ASSERT_TRUE(hoistInvariants(function, {}));
  const auto& row = function.body.back().body;
  ASSERT_FALSE(row.empty());
  ASSERT_FALSE(row.back().body.empty());
  const auto& last = row.back().body[0];
  EXPECT_THAT(print(last.value), Not(HasSubstr("sqrt")));
  EXPECT_THAT(print(last.value), Not(HasSubstr("/")));
  EXPECT_THAT(print(function), HasSubstr("1.0f / std::sqrt(variance + 1e-5f)"));
}

TEST(Hoisting, KeepsVariantsAndIntegers) {
  expectRejected(hoistInvariants, R"(
  float s = 1.0f;
  for (int i = 0; i < N; ++i) { s += X[i]; Y[i] = X[i] / s; })");
  expectRejected(hoistInvariants, R"(
  int half = 0;
  for (int i = 0; i < N; ++i) { half = i / N; Y[half] = X[i]; })");
}

TEST(OnePass, FusesMeanAndVariance) {
  Function function = exampleFunction("layer_norm");
  ASSERT_TRUE(onePassStatistics(function, {}));
  int loops = 0;
  for (const Stmt& s : function.body[0].body) {
    loops += s.kind == Stmt::Kind::loop ? 1 : 0;
  }
  EXPECT_EQ(loops, 2);
}

TEST(OnePass, RejectsOtherSums) {
  const std::string begin = R"(
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) { sum += X[j]; }
  float mean = sum / N;
  float squares = 0.0f;
)";
  expectRejected(
      onePassStatistics,
      begin + "  for (int j = 0; j < N; ++j) { squares += X[j] - mean; }\n  Y[0] = squares;");
  expectRejected(onePassStatistics, begin + R"(
  for (int j = 0; j < N; ++j) { squares += (X[j] - mean) * (X[j] - mean); }
  Y[0] = squares + sum;)");
}

TEST(Contraction, MatchesLoopRoles) {
  const Function matmul = exampleFunction("matmul");
  const auto found = matchContraction(matmul, matmul.body[0]);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->row.name, "i");
  EXPECT_EQ(found->column.name, "j");
  EXPECT_TRUE(found->rightInOrder);
  const Function conv = exampleFunction("conv");
  const auto direct = matchContraction(conv, conv.body[0]);
  ASSERT_TRUE(direct);
  EXPECT_EQ(direct->row.name, "w");
  EXPECT_EQ(direct->column.name, "k");
  EXPECT_EQ(direct->sum.reduced.size(), 3U);
}

TEST(Contraction, RejectsOtherNests) {
  const Knobs knobs = {{"rows", 4}, {"vectors", 2}, {"width", 16}, {"pack", 1}, {"depth", 64}};
  // The sum reads the target.
  expectRejected(tileContractions, R"(
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < M; ++j) {
      float s = 0.0f;
      for (int k = 0; k < N; ++k) { s += Y[i * N + k] * B[k * M + j]; }
      Y[i * M + j] = s;
    }
  })",
                 knobs);
  // Two iterations have the same target.
  expectRejected(tileContractions, R"(
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < M + 1; ++j) {
      float s = 0.0f;
      for (int k = 0; k < N; ++k) { s += X[i * N + k] * B[k * M + j]; }
      Y[i * M + j] = s;
    }
  })",
                 knobs);
  // The nest is triangular.
  expectRejected(tileContractions, R"(
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < M; ++j) {
      float s = 0.0f;
      for (int k = 0; k < i; ++k) { s += X[i * N + k] * B[k * M + j]; }
      Y[i * M + j] = s;
    }
  })",
                 knobs);
}

TEST(Vectorization, RejectsRecurrencesAndStrides) {
  expectRejected(vectorizeLoops, "  for (int i = 1; i < N; ++i) { Y[i] = Y[i - 1] + X[i]; }",
                 kVectorKnobs);
  expectRejected(vectorizeLoops, "  for (int i = 0; i < N; ++i) { Y[i] = X[i * M]; }",
                 kVectorKnobs);
  expectRejected(vectorizeLoops, "  for (int i = 0; i < N; ++i) { Y[0] = X[i]; }", kVectorKnobs);
  expectRejected(vectorizeLoops, R"(
  float last = 0.0f;
  for (int i = 0; i < N; ++i) { last = X[i] - last; Y[i] = last; })",
                 kVectorKnobs);
  expectRejected(vectorizeLoops, R"(
  double sum = 0.0;
  for (int i = 0; i < N; ++i) { sum += X[i]; }
  Y[0] = sum;)",
                 kVectorKnobs);
  expectRejected(vectorizeLoops, "  for (int i = 0; i < N; ++i) { Y[i] = i; }", kVectorKnobs);
}

TEST(Threads, RequireIndependentIterations) {
  Function function = exampleFunction("softmax");
  ASSERT_TRUE(useThreads(function, {}));
  EXPECT_THAT(print(function), HasSubstr("#pragma omp parallel for"));
  expectRejected(useThreads, "  for (int i = 1; i < N; ++i) { Y[i] = Y[i - 1] + X[i]; }");
  expectRejected(useThreads, R"(
  float sum = 0.0f;
  for (int i = 0; i < N; ++i) { sum += X[i]; }
  Y[0] = sum;)");
}

TEST(Threads, PrivatizeTemporaries) {
  Function function = exampleFunction("attention");
  ASSERT_TRUE(fuseLoops(function, {{"rows", 32}}));
  ASSERT_TRUE(useThreads(function, {}));
  ASSERT_EQ(function.body.size(), 1U);
  EXPECT_TRUE(function.body[0].body[0].array);
}

}  // namespace
}  // namespace hone::kernel::nest
