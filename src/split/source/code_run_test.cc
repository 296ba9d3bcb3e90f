#include "split/source/code_run.h"

#include <gtest/gtest.h>

namespace hone::split {
namespace {

/// Executes the statements with `size` = 5 as input and returns the value they return.
CodeValue evaluate(const std::string& code) {
  const Source source = readSource(code, "f").value();
  CodeRun run(
      {{"size", integerValue(5)}, {"list", {.kind = CodeValue::Kind::list, .list = {2, 3, 7}}}},
      [](const std::string&) { return nullptr; });
  for (const Statement& statement : parseStatements(source, 0, source.tokens.size())) {
    const auto ending = run.execute(statement);
    if (ending.returned) {
      return ending.value;
    }
  }
  return {};
}

std::int64_t evaluateInteger(const std::string& code) {
  const CodeValue value = evaluate(code);
  EXPECT_EQ(value.kind, CodeValue::Kind::integer) << code;
  return value.integer;
}

TEST(CodeRun, ComputesLikeCpp) {
  EXPECT_EQ(evaluateInteger("return 7 / 2 * 3 - 10 % 4;"), 7);
  EXPECT_EQ(evaluateInteger("int64_t a = 7 / 2.0; return a;"), 3);
  EXPECT_EQ(evaluateInteger("return static_cast<int64_t>(std::sqrt(80)) + int64_t(1.9);"), 9);
  EXPECT_EQ(evaluateInteger("return 3 < 1e7 ? std::min<int64_t>(8, 9) : std::max<int64_t>(8, 9);"),
            8);
  EXPECT_EQ(evaluateInteger("return 5'000'000'000 * 2;"), 10'000'000'000);
  EXPECT_EQ(evaluateInteger("int64_t a = 1; a += 2; a *= 4; { int64_t a = 9; a = 1; } return a;"),
            12);
  EXPECT_EQ(evaluateInteger("return llvm::divideCeil(7, 2) - -1;"), 5);
}

TEST(CodeRun, FollowsControlFlow) {
  EXPECT_EQ(evaluateInteger("if (1 > 2 || !(3 >= 4) && true) return 1; else return 2;"), 1);
  EXPECT_EQ(evaluateInteger("int64_t a; if (2 < 1) { a = 1; } else if (true) { a = 2; } return a;"),
            2);
  EXPECT_EQ(evaluateInteger(
                "auto list = other(); int64_t p = 1; for (int64_t x : list) p *= x; return p;"),
            42);
  EXPECT_EQ(evaluateInteger("auto twice = [&](int64_t x) -> int64_t { if (x > 2) return 0;\n"
                            "return 2 * x; }; return twice(2) + twice(3);"),
            4);
  EXPECT_EQ(evaluate("return std::nullopt;").kind, CodeValue::Kind::none);
}

TEST(CodeRun, GivesInputsToUnknownVariablesOnly) {
  EXPECT_EQ(evaluateInteger("int64_t size = op.size(); return size;"), 5);
  EXPECT_EQ(evaluateInteger("int64_t size = 3; return size;"), 3);
  EXPECT_FALSE(evaluate("int64_t size = op.size(); size *= 2; return size;").isKnown());
}

TEST(CodeRun, UnknownValuesDoNotDecide) {
  EXPECT_EQ(evaluateInteger("return op.isA() && 1 > 2 ? 1 : 2;"), 2);
  EXPECT_EQ(evaluateInteger("return op.isA() || 1 < 2 ? 1 : 2;"), 1);
  EXPECT_FALSE(evaluate("return op.isA() && 1 < 2 ? 1 : 2;").isKnown());
  EXPECT_FALSE(evaluate("int64_t a = 1; if (op.isA()) { a = 2; } return a;").isKnown());
  EXPECT_FALSE(evaluate("if (op.isA()) { return 2; } return 3;").isKnown());
  EXPECT_FALSE(evaluate("int64_t a = 1; while (op.isA()) { a = 2; } return a;").isKnown());
}

TEST(CodeRun, RejectsUnsupportedCode) {
  EXPECT_FALSE(evaluate("return 100000 * 100000;").isKnown()) << "overflows an int";
  EXPECT_FALSE(evaluate("return 1 / 0;").isKnown());
  EXPECT_FALSE(evaluate("return 017;").isKnown());
  EXPECT_FALSE(evaluate("return 1 << 3;").isKnown());
  EXPECT_FALSE(evaluate("int64_t a = 1; switch (a) { case 1: return 2; } return 3;").isKnown());
  for (const char* change : {"++a;", "a--;", "change(&a);", "change(a);", "b[a = 3];"}) {
    EXPECT_FALSE(evaluate(fmt::format("int64_t a = 1; {} return a;", change)).isKnown()) << change;
  }
  EXPECT_EQ(evaluateInteger("int64_t a = 1; assert(a); (void)a; return a;"), 1);
}

}  // namespace
}  // namespace hone::split
