#include "search/constraints/smt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "search/constraints/test_constraints.h"

namespace hone::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Evaluates an assertion over the integers x and y and the boolean p.
Truth holds(const std::string& assertion, const Assignment& values) {
  const auto constraints = Constraints::parse(
      fmt::format("(set-logic QF_NIA)\n(declare-const x Int)\n(declare-fun y () Int)\n"
                  "(declare-const p Bool)\n(assert {})\n(check-sat)\n",
                  assertion));
  EXPECT_TRUE(constraints) << assertion << ": " << constraints.error().message;
  return constraints ? constraints->check(values) : Truth::open;
}

TEST(Smt, EvaluatesIntegerAndBooleanFunctions) {
  const Assignment values = {{"x", 7}, {"y", -2}, {"p", 1}};
  for (const char* text : {"(= (+ x y 1) 6)",
                           "(= (- x y) 9)",
                           "(= (- x) (- 7))",
                           "(= (* x y 2) (- 28))",
                           "(< y 0 x 8)",
                           "(<= 7 x)",
                           "(> x y)",
                           "(>= x 7 y)",
                           "(distinct x y 3)",
                           "(= (abs y) 2)",
                           "(ite p (= x 7) false)",
                           "(= (ite (> x 9) 1 (ite p 2 3)) 2)",
                           "(not (and p (= x 1)))",
                           "(or (= x 1) p)",
                           "(xor p (= x 1))",
                           "(=> (= x 1) false)",
                           "(=> p (= x 7) (= y (- 2)))",
                           "(let ((a (* x x)) (b y)) (= (+ a b) 47))",
                           "(! (= x 7) :named seven)",
                           "(= (x) |x|)"}) {
    EXPECT_EQ(holds(text, values), Truth::yes) << text;
    EXPECT_EQ(holds(fmt::format("(not {})", text), values), Truth::no) << text;
  }
}

TEST(Smt, DividesLikeSmtLib) {
  for (const char* text :
       {"(= (div 7 2) 3)", "(= (div (- 7) 2) (- 4))", "(= (div 7 (- 2)) (- 3))",
        "(= (div (- 7) (- 2)) 4)", "(= (mod 7 2) 1)", "(= (mod (- 7) 2) 1)", "(= (mod 7 (- 2)) 1)",
        "(= (mod (- 8) (- 2)) 0)", "(= (div 48 4 3) 4)"}) {
    EXPECT_EQ(holds(text, {}), Truth::yes) << text;
  }
}

RC_GTEST_PROP(Smt, QuotientAndRemainderAreConsistent, (std::int32_t x, std::int32_t y)) {
  RC_PRE(y != 0);
  RC_ASSERT(holds("(and (= x (+ (* y (div x y)) (mod x y))) (<= 0 (mod x y)) "
                  "(< (mod x y) (abs y)))",
                  {{"x", x}, {"y", y}}) == Truth::yes);
}

TEST(Smt, LetShadowsOuterNames) {
  EXPECT_EQ(holds("(let ((x 1)) (and (= x 1) (let ((x (+ x 1)) (y x)) (= x (+ y 1)))))",
                  {{"x", 5}, {"y", 5}}),
            Truth::yes);
  EXPECT_EQ(holds("(and (let ((x 1)) (= x 1)) (= x 5))", {{"x", 5}}), Truth::yes);
}

TEST(Smt, IsOpenUntilDecided) {
  EXPECT_EQ(holds("(< x y)", {{"x", 1}}), Truth::open);
  EXPECT_EQ(holds("(and (< x y) (= x 2))", {{"x", 1}}), Truth::no);
  EXPECT_EQ(holds("(or (< x y) (= x 1))", {{"x", 1}}), Truth::yes);
  EXPECT_EQ(holds("(= (ite (= x 1) 5 y) 5)", {{"x", 1}}), Truth::yes);
  EXPECT_EQ(holds("(= x 1)", {{"unknown", 1}}), Truth::open);
}

TEST(Smt, UndefinedTermsDoNotHold) {
  EXPECT_EQ(holds("(= (mod x y) 0)", {{"x", 4}, {"y", 0}}), Truth::open);
  EXPECT_EQ(holds("(= (div x y) (div x y))", {{"x", 4}, {"y", 0}}), Truth::open);
  EXPECT_EQ(holds("(> (* x x) 0)", {{"x", std::int64_t{1} << 40U}}), Truth::open);
  EXPECT_EQ(holds("(= (div x y) 1)", {{"x", INT64_MIN}, {"y", -1}}), Truth::open);
}

TEST(Smt, ReportsUnsupportedInputWithLine) {
  const auto error = [](std::string_view text) {
    const auto constraints = Constraints::parse(text);
    return constraints ? std::string() : constraints.error().message;
  };
  EXPECT_EQ(error("(assert\n  (= z 1))"), "line 2: undeclared 'z'");
  EXPECT_EQ(error("(declare-const a (_ BitVec 8))"), "line 1: 'a': expected sort Int or Bool");
  EXPECT_EQ(error("\n(assert (bvult 1 2))"), "line 2: unsupported 'bvult'");
  EXPECT_THAT(error("(assert (and 1 true))"), HasSubstr("invalid operands of 'and'"));
  EXPECT_THAT(error("(assert (= 1 true))"), HasSubstr("invalid operands of '='"));
  EXPECT_THAT(error("(assert (mod 1 2 3))"), HasSubstr("'mod'"));
  EXPECT_THAT(error("(assert (+ 1 2))"), HasSubstr("of sort Bool"));
  EXPECT_THAT(error("(assert (= 1 1)"), HasSubstr("unclosed '('"));
  EXPECT_THAT(error("(assert true))"), HasSubstr("')' without '('"));
  EXPECT_THAT(error("(push 1)"), HasSubstr("'push'"));
  EXPECT_THAT(error("(declare-const |a)"), HasSubstr("unclosed |"));
  EXPECT_THAT(error("(declare-const a Int)(declare-const a Int)"),
              HasSubstr("duplicate declaration"));
  EXPECT_THAT(error(std::string(100'000, '(')), HasSubstr("nested too deeply"));
  EXPECT_EQ(error("; only a remark (\n"), "");
}

RC_GTEST_PROP(Smt, ParsesOrRejectsAnyText, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "(", ")", "assert", "=", "let", "((x", "x", "1", "-", "|", "\"", ";", "\n", "mod", "ite",
      "(declare-const x Int)", "declare-const", "Int", "!", "true", "()"));
  std::string text;
  for (const std::string& part : parts) {
    text += part + " ";
  }
  (void)Constraints::parse(text);
}

/// Formats bounds as "x in 1..8", or with one end missing.
std::string formatBounds(const Constraints& constraints, std::string_view name) {
  const Variable& variable = constraints.variables()[constraints.find(name).value()];
  return fmt::format("{}..{}", variable.lower ? fmt::to_string(*variable.lower) : "",
                     variable.upper ? fmt::to_string(*variable.upper) : "");
}

TEST(Smt, DerivesVariableBounds) {
  const auto constraints = Constraints::parse(
      "(declare-const n Int) (declare-const tile Int) (declare-const kind Int)\n"
      "(declare-const part Int) (declare-const count Int) (declare-const threads Int)\n"
      "(declare-const free Int) (declare-const flag Bool)\n"
      "(assert (= n 2048)) (assert (and (>= kind 0) (< kind 3)))\n"
      "(assert (= (mod n tile) 0))\n"
      "(assert (>= tile (ite (= kind 0) 16 32))) (assert (<= tile 512))\n"
      "(assert (>= part 1)) (assert (>= count 1)) (assert (= (mod tile (* part 16)) 0))\n"
      "(assert (= threads (* 64 count))) (assert (<= threads 1024))\n"
      "(assert flag) (assert (> free 3))\n");
  ASSERT_TRUE(constraints) << constraints.error().message;
  EXPECT_EQ(formatBounds(*constraints, "n"), "2048..2048");
  EXPECT_EQ(constraints->variables()[0].fixed(), 2048);
  EXPECT_EQ(formatBounds(*constraints, "kind"), "0..2");
  EXPECT_EQ(formatBounds(*constraints, "tile"), "16..512");
  EXPECT_EQ(formatBounds(*constraints, "part"), "1..32");
  EXPECT_EQ(formatBounds(*constraints, "count"), "1..16");
  EXPECT_EQ(formatBounds(*constraints, "threads"), "64..1024");
  EXPECT_EQ(formatBounds(*constraints, "free"), "4..");
  EXPECT_EQ(formatBounds(*constraints, "flag"), "1..1");
}

TEST(Smt, ChecksAssertionsOfOneVariable) {
  const auto constraints = Constraints::parse(
      "(declare-const x Int) (declare-const y Int)\n"
      "(assert (and (<= 1 x) (<= x 6))) (assert (and (<= 1 y) (<= y 6)))\n"
      "(assert (= (* x y) 6))");
  ASSERT_TRUE(constraints);
  ASSERT_EQ(constraints->assertions().size(), 3u);
  EXPECT_THAT(constraints->assertions()[0].variables, ElementsAre(0u));
  EXPECT_THAT(constraints->assertions()[2].variables, ElementsAre(0u, 1u));
  Evaluation evaluation(*constraints);
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (std::int64_t x = *constraints->variables()[0].lower; x <= constraints->variables()[0].upper;
       ++x) {
    evaluation.assign(0, x);
    for (std::int64_t y = 1; y <= 6; ++y) {
      evaluation.assign(1, y);
      if (evaluation.check() == Truth::yes) {
        found.emplace_back(x, y);
      }
    }
    evaluation.assign(1, std::nullopt);
    EXPECT_EQ(evaluation.check(), Truth::open);
  }
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_THAT(found, ElementsAre(Pair(1, 6), Pair(2, 3), Pair(3, 2), Pair(6, 1)));
}

/// Returns the compiler's constraints of one pipeline for a 2048x2048x2048 matmul, f16 into f32.
Result<Constraints> realConstraints(const std::string& target, std::string_view pipeline) {
  const auto all = HONE_TRY(constraintsFor(target, largeMatmul()));
  for (const iree::PipelineConstraints& one : all) {
    if (one.pipeline == pipeline) {
      return Constraints::parse(one.smtLib);
    }
  }
  return userError("no constraints for {}", pipeline);
}

/// Adds the fixed values to an assignment of the others.
Assignment completed(const Constraints& constraints, Assignment values) {
  for (const Variable& variable : constraints.variables()) {
    if (const auto fixed = variable.fixed()) {
      values.emplace(variable.name, *fixed);
    }
  }
  return values;
}

TEST(CompilerSmt, AllowsCompilerDefaultOnGfx942) {
  const auto constraints = realConstraints("rocm:gfx942", "TileAndFuse");
  ASSERT_TRUE(constraints) << constraints.error().message;
  const Assignment chosen = completed(*constraints, {{"wg_0", 128},
                                                     {"wg_1", 128},
                                                     {"sg_0", 4},
                                                     {"sg_1", 4},
                                                     {"red_2", 2},
                                                     {"mma_idx", 0},
                                                     {"wg_size_x", 256},
                                                     {"sg_m_cnt", 2},
                                                     {"sg_n_cnt", 2}});
  EXPECT_EQ(constraints->check(chosen), Truth::yes);
  EXPECT_EQ(chosen.at("sg_size"), 64);
  EXPECT_EQ(chosen.at("prefetch_num_stages"), 2);
  for (const auto& [name, value] : chosen) {
    Assignment wrong = chosen;
    wrong[name] = value + 3;
    EXPECT_EQ(constraints->check(wrong), Truth::no) << name;
  }
}

TEST(CompilerSmt, AllowsCompilerDefaultOnSm80) {
  const auto constraints = realConstraints("cuda:sm_80", "TileAndFuse");
  ASSERT_TRUE(constraints) << constraints.error().message;
  const Assignment chosen = completed(*constraints, {{"wg_0", 128},
                                                     {"wg_1", 64},
                                                     {"sg_0", 4},
                                                     {"sg_1", 4},
                                                     {"red_2", 2},
                                                     {"mma_idx", 0},
                                                     {"wg_size_x", 128},
                                                     {"sg_m_cnt", 2},
                                                     {"sg_n_cnt", 2}});
  EXPECT_EQ(constraints->check(chosen), Truth::yes);
  Assignment large = chosen;
  large["red_2"] = 64;  // exceeds shared memory
  EXPECT_EQ(constraints->check(large), Truth::no);
}

/// Counts the solutions by enumerating the variables in the given order. Each assertion is checked
/// as soon as all its variables are assigned.
class Counter {
 public:
  Counter(const Constraints& constraints, const std::vector<std::string>& order)
      : constraints_(constraints), evaluation_(constraints), due_(order.size()) {
    std::vector<std::size_t> place(constraints.variables().size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order_.push_back(constraints.find(order[i]).value());
      place[order_.back()] = i;
    }
    for (const Constraints::Assertion& assertion : constraints.assertions()) {
      std::size_t last = 0;
      for (const std::size_t variable : assertion.variables) {
        last = std::max(last, place[variable]);
      }
      due_[last].push_back(&assertion);
    }
  }

  int count(std::size_t at = 0) {
    if (at == order_.size()) {
      return 1;
    }
    int found = 0;
    const Variable& variable = constraints_.variables()[order_[at]];
    for (std::int64_t value = variable.lower.value(); value <= variable.upper.value(); ++value) {
      evaluation_.assign(order_[at], value);
      const bool holds = std::all_of(
          due_[at].begin(), due_[at].end(),
          [&](const Constraints::Assertion* one) { return evaluation_.check(*one) == Truth::yes; });
      found += holds ? count(at + 1) : 0;
    }
    evaluation_.assign(order_[at], std::nullopt);
    return found;
  }

 private:
  const Constraints& constraints_;
  Evaluation evaluation_;
  std::vector<std::vector<const Constraints::Assertion*>> due_;
  std::vector<std::size_t> order_;
};

TEST(CompilerSmt, HasAsManySolutionsAsZ3) {
  const auto constraints = realConstraints("rocm:gfx942", "TileAndFuse");
  ASSERT_TRUE(constraints) << constraints.error().message;
  std::vector<std::string> order;
  for (const Variable& variable : constraints->variables()) {
    if (variable.fixed()) {
      order.push_back(variable.name);
    }
  }
  for (const char* name :
       {"mma_idx", "wg_0", "sg_0", "sg_m_cnt", "wg_1", "sg_1", "sg_n_cnt", "wg_size_x", "red_2"}) {
    order.emplace_back(name);
  }
  ASSERT_EQ(order.size(), constraints->variables().size());
  EXPECT_EQ(Counter(*constraints, order).count(), 1369);  // as enumerated by z3
}

}  // namespace
}  // namespace hone::search
