#include "kernel/nest/nest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "kernel/nest/nest_parser.h"
#include "kernel/nest/nest_printer.h"
#include "kernel/nest/normal_form.h"
#include "kernel/nest/test_nests.h"

namespace hone::kernel::nest {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kExamples = {"matmul",     "elementwise",   "softmax",
                                            "layer_norm", "row_reduction", "conv",
                                            "attention",  "gelu_chain"};

std::string inKernel(const std::string& body) {
  return "extern \"C\" void kernel(const float* X, float* Y, std::int64_t N) {\n" + body + "\n}\n";
}

/// Generates random trees of the subset.
class RandomNest {
 public:
  explicit RandomNest(std::uint64_t seed) : random_(seed) {}

  Expr expression(int depth) {
    const std::size_t choice = random_.below(depth > 0 ? 8 : 2);
    switch (choice) {
      case 0:
        return Expr{Expr::Kind::number, random_.below(2) == 0 ? "2" : "0.5f", {}};
      case 1:
        return name(pick({"a", "b", "N", "i"}));
      case 2:
        return index(pick({"X", "Y"}), expression(depth - 1));
      case 3:
        return call(pick({"std::exp", "sqrtf", "std::max<float>"}),
                    {expression(depth - 1), expression(depth - 1)});
      case 4:
        return Expr{Expr::Kind::unary, pick({"-", "!"}), {expression(depth - 1)}};
      case 5:
        return Expr{Expr::Kind::ternary,
                    "?",
                    {expression(depth - 1), expression(depth - 1), expression(depth - 1)}};
      case 6:
        return Expr{Expr::Kind::cast, pick({"float", "int"}), {expression(depth - 1)}};
      default:
        return binary(pick({"+", "-", "*", "/", "%", "<", ">=", "==", "&&", "||"}),
                      expression(depth - 1), expression(depth - 1));
    }
  }

  std::vector<Stmt> body(int depth) {
    std::vector<Stmt> all;
    for (std::size_t count = random_.below(4); count > 0; --count) {
      all.push_back(statement(depth));
    }
    return all;
  }

 private:
  std::string pick(std::initializer_list<const char*> words) {
    return *(words.begin() + random_.below(words.size()));
  }
  Stmt statement(int depth) {
    Stmt s;
    switch (random_.below(depth > 0 ? 6 : 3)) {
      case 0:
        return assign(random_.below(2) == 0 ? name("a") : index("Y", expression(2)),
                      pick({"=", "+=", "*=", "-=", "/="}), expression(3));
      case 1:
        s = declare(pick({"float", "std::int64_t", "double"}), pick({"a", "b"}), expression(3));
        s.constant = random_.below(2) == 0;
        return s;
      case 2:
        s = declare("std::vector<float>", "t", expression(2));
        s.array = true;
        s.sizeIsArgument = true;
        s.size = expression(2);
        return s;
      case 3:
        s.kind = Stmt::Kind::branch;
        s.value = expression(2);
        s.body = body(depth - 1);
        s.otherwise = body(depth - 1);
        return s;
      case 4:
        s.kind = Stmt::Kind::block;
        s.body = body(depth - 1);
        return s;
      default:
        s = loopOver(pick({"i", "j"}), expression(2), expression(2), body(depth - 1));
        if (random_.below(2) == 0) {
          s.step = expression(1);
        }
        return s;
    }
  }

  Random random_;
};

RC_GTEST_PROP(Nest, RoundTripsThroughText, (std::uint64_t seed)) {
  Function function;
  function.before = "#include <cmath>\n";
  function.after = "\n";
  function.parameters = {{"const float*", "X"}, {"float*", "Y"}, {"std::int64_t", "N"}};
  function.body = RandomNest(seed).body(4);
  const std::string text = print(function);
  const auto again = parse(text);
  RC_ASSERT(again.has_value());
  if (*again != function) {
    RC_FAIL(text + print(*again));
  }
}

TEST(Nest, RoundTripsExamples) {
  for (const std::string& example : kExamples) {
    const auto first = parse(exampleSource(example).text);
    ASSERT_TRUE(first) << example << ": " << first.error().message;
    const auto second = parse(print(*first));
    ASSERT_TRUE(second) << example << ": " << second.error().message;
    EXPECT_EQ(*first, *second) << example;
    EXPECT_TRUE(normalize(*first)) << example;
  }
}

TEST(Nest, KeepsLineNumbers) {
  const auto function =
      parse(inKernel("  float a = 0;\n  for (int i = 0; i < N; ++i)\n    a += X[i];\n"));
  ASSERT_TRUE(function);
  EXPECT_EQ(function->body[0].line, 2);
  EXPECT_EQ(function->body[1].line, 3);
  EXPECT_EQ(function->body[1].body[0].value.line, 4);
}

TEST(Nest, ReportsLineOfUnsupportedCode) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"  while (N > 0) { }", "line 2"},
      {"  float a = 0;\n  goto end;", "line 3"},
      {"  for (int i = N; i > 0; --i) { }", "unsupported loop condition"},
      {"#pragma omp simd\n", "line 2"},
      {"  Y[0] = [](float x) { return x; }(1);", "line 2"},
      {"  Y[0] = X[0];\n/* no end", "unterminated comment"},
  };
  for (const auto& [body, message] : cases) {
    const auto result = parse(inKernel(body));
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().fault, Fault::user);
    EXPECT_THAT(result.error().message, HasSubstr(message)) << body;
  }
  EXPECT_FALSE(parse("int main() {}"));
  EXPECT_FALSE(parse(""));
}

TEST(Nest, RejectsDeepNesting) {
  EXPECT_FALSE(parse(
      inKernel("  Y[0] = " + std::string(100'000, '(') + "1" + std::string(100'000, ')') + ";")));
  EXPECT_FALSE(parse(inKernel(std::string(100'000, '{') + std::string(100'000, '}'))));
  EXPECT_FALSE(parse(inKernel("  Y[0] = " + std::string(100'000, '-') + "1;")));
}

RC_GTEST_PROP(Nest, SurvivesDamagedText, (std::uint64_t seed)) {
  Random random(seed);
  std::string text = exampleSource(kExamples[random.below(kExamples.size())]).text;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t at = random.below(text.size());
    constexpr std::string_view kMarks = "{}()[];,+-*/<>=!?:.\"'#ax0 \n";
    switch (random.below(3)) {
      case 0:
        text.erase(at, random.below(12));
        break;
      case 1:
        text.insert(at, 1, kMarks[random.below(kMarks.size())]);
        break;
      default:
        text[at] = kMarks[random.below(kMarks.size())];
    }
  }
  const auto result = parse(text);
  if (result) {
    const auto again = parse(print(*result));
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->body == result->body);
    RC_ASSERT(normalize(*result).has_value() || !normalize(*result).error().message.empty());
  }
}

TEST(NormalForm, InlinesPointersAndConstants) {
  const auto function = normalize(*parse(inKernel(R"(
  for (int i = 0; i < N; ++i) {
    const std::int64_t row = i * N;
    const float* x = X + row;
    float* y = &Y[row];
    for (int j = 0; j < N; ++j) {
      y[j] = fmaxf(x[j], 0.0f);
    }
  })")));
  ASSERT_TRUE(function);
  ASSERT_EQ(function->body[0].body.size(), 1U);
  EXPECT_EQ(print(function->body[0].body[0].body[0].target), "Y[i * N + j]");
  EXPECT_EQ(print(function->body[0].body[0].body[0].value), "std::max<float>(X[i * N + j], 0.0f)");
}

TEST(NormalForm, FindsMaximaInBranches) {
  const auto function = normalize(*parse(inKernel(R"(
  float m = X[0];
  for (int i = 0; i < N; ++i) {
    if (X[i] > m) { m = X[i]; }
    if (0.0f > m) m = 0.0f;
    Y[i] = X[i] < m ? X[i] : m;
  })")));
  ASSERT_TRUE(function);
  const auto& body = function->body[1].body;
  EXPECT_EQ(print(body[0].value), "std::max<float>(m, X[i])");
  EXPECT_EQ(print(body[1].value), "std::max<float>(m, 0.0f)");
  EXPECT_EQ(print(body[2].value), "std::min<float>(m, X[i])");
}

TEST(NormalForm, KeepsAssignedVariables) {
  const auto function = normalize(*parse(inKernel(R"(
  int row = 0;
  for (int i = 0; i < N; ++i) {
    Y[row] = X[i];
    row += 2;
  })")));
  ASSERT_TRUE(function);
  EXPECT_EQ(print(function->body[1].body[0].target), "Y[row]");
}

TEST(NormalForm, RejectsUnknownFunctionsAndShadowing) {
  EXPECT_FALSE(normalize(*parse(inKernel("  Y[0] = secret(X[0]);"))));
  EXPECT_FALSE(normalize(*parse(
      inKernel("  for (int i = 0; i < N; ++i) { for (int i = 0; i < N; ++i) { Y[i] = 0; } }"))));
}

}  // namespace
}  // namespace hone::kernel::nest
