#include "split/source/rule_conditions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "split/source/rule_run.h"

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;

constexpr std::size_t kProbes = 24;

/// A size that the early returns compare with a constant.
enum class Measure : std::uint8_t {
  channels,
  batch,
  rows,
  columns,
  parallel,
  output,
  reduction,
  chainRatio,
  ratio
};

using MeasureOf = std::int64_t (*)(const Reduction&);

std::vector<std::pair<Measure, MeasureOf>> measuresFor(ReductionKind kind) {
  using enum Measure;
  std::vector<std::pair<Measure, MeasureOf>> all = {
      {output, [](const Reduction& one) { return one.outputSize(); }},
      {reduction, [](const Reduction& one) { return one.reductionSize(); }},
      {ratio,
       [](const Reduction& one) { return computeMeasures(SourceForm::functions, one).ratio; }},
      {batch, [](const Reduction& one) { return one.batchSize; }}};
  if (kind == ReductionKind::matmul) {
    all.emplace_back(rows, [](const Reduction& one) { return one.mSize; });
    all.emplace_back(columns, [](const Reduction& one) { return one.nSize; });
    return all;
  }
  all.emplace_back(chainRatio, [](const Reduction& one) {
    return computeMeasures(SourceForm::chain, one).ratio;
  });
  all.emplace_back(channels, [](const Reduction& one) { return one.outputChannelSize; });
  all.emplace_back(parallel, [](const Reduction& one) {
    return computeMeasures(SourceForm::functions, one).largeParallel;
  });
  return all;
}

/// A comparison of a measure with a constant: MEASURE op VALUE.
struct Comparison {
  const Expression* constant = nullptr;
  Measure measure = Measure::output;
  std::string op;
  std::int64_t value = 0;
};

/// The comparisons of a condition, all joined by the same operator.
struct Comparisons {
  std::vector<Comparison> all;
  std::string joined;  ///< "&&", "||"; "" for a single one
};

/// Values of both sides of a comparison for all probes.
struct Sides {
  std::vector<CodeValue> left, right;
};

void collectLeaves(const Expression& expression, std::vector<const Expression*>& leaves,
                   std::vector<std::string>& joints) {
  if (expression.kind == Expression::Kind::binary &&
      (expression.text == "&&" || expression.text == "||")) {
    joints.push_back(expression.text);
    collectLeaves(expression.operands[0], leaves, joints);
    collectLeaves(expression.operands[1], leaves, joints);
    return;
  }
  leaves.push_back(&expression);
}

std::optional<std::int64_t> constantIn(const std::vector<CodeValue>& values) {
  for (const CodeValue& value : values) {
    if (value.kind != CodeValue::Kind::integer || value.integer != values.front().integer) {
      return std::nullopt;
    }
  }
  return values.front().integer;
}

std::string flipped(std::string_view op) {
  return op == "<"    ? ">"
         : op == ">"  ? "<"
         : op == "<=" ? ">="
         : op == ">=" ? "<="
                      : std::string(op);
}

/// Runs the code for several random operations, without taking early returns, and derives the
/// meaning of each condition from the values that it compares.
class ConditionReader {
 public:
  explicit ConditionReader(SourceRule& rule) : rule_(rule), source_(*rule.source) {
    Random random(1);
    for (std::size_t i = 0; i < kProbes; ++i) {
      probes_.push_back(randomReduction(random, rule.kind));
      probes_.back().batchFirst = rule.kind == ReductionKind::convolution && i % 2 == 0;
    }
  }

  Result<void> read() {
    for (const Reduction& probe : probes_) {
      HONE_CHECK(runProbe(probe));
    }
    std::vector<std::pair<std::size_t, Comparisons>> read;
    for (std::size_t i = 0; i < rule_.decision; ++i) {
      const Statement& statement = (*rule_.body)[i];
      if (!understood_.contains(i)) {
        continue;
      }
      rule_.conditions.push_back(
          {statement.value->begin, statement.value->end, statement.begin, false});
      if (source_.tokens[statement.value->begin].text == "false") {
        rule_.disabled.push_back(source_.tokens[statement.begin].line);
      }
      read.emplace_back(rule_.conditions.size() - 1, comparisonsIn(*statement.value));
    }
    rule_.form = detectForm(read);
    for (const auto& [condition, comparisons] : read) {
      rule_.conditions[condition].isKnown = place(comparisons);
    }
    return {};
  }

 private:
  /// Records the values that the conditions compare for one operation.
  Result<void> runProbe(const Reduction& probe) {
    CodeRun run = startRun(rule_, probe, false);
    const bool first = &probe == &probes_.front();
    for (std::size_t i = 0; i < rule_.decision; ++i) {
      const Statement& statement = (*rule_.body)[i];
      const int line = source_.tokens[statement.begin].line;
      if (isEarlyReturn(statement)) {
        HONE_CHECK(recordReturn(run, statement, i, first));
        continue;
      }
      const auto ending = run.execute(statement);
      const bool otherSizes = isLoop(statement) && onlyReturnsNone(statement.body);
      if (ending.returned && !otherSizes) {
        return notUnderstood(source_, rule_.function(),
                             ending.value.isKnown() ? statement.begin : ending.value.cause);
      }
      if (ending.returned && first) {
        rule_.keptReturns.push_back(line);
      }
    }
    return {};
  }

  Result<void> recordReturn(CodeRun& run, const Statement& statement, std::size_t index,
                            bool first) {
    const CodeValue value = run.evaluate(*statement.value);
    const bool bySize = mentionsSize(run, *statement.value);
    if (!value.isKnown() && bySize) {
      return notUnderstood(source_, rule_.function(), value.cause);
    }
    std::vector<const Expression*> leaves;
    std::vector<std::string> joints;
    collectLeaves(*statement.value, leaves, joints);
    std::erase_if(leaves,
                  [](const Expression* leaf) { return leaf->kind != Expression::Kind::binary; });
    if (!bySize || leaves.empty()) {
      if (first && !value.isKnown() && run.lookUp("batchSize").isKnown()) {
        rule_.keptReturns.push_back(source_.tokens[statement.begin].line);
      }
      return {};
    }
    understood_.insert(index);
    for (const Expression* leaf : leaves) {
      sides_[leaf].left.push_back(run.evaluate(leaf->operands[0]));
      sides_[leaf].right.push_back(run.evaluate(leaf->operands[1]));
    }
    return {};
  }

  /// Returns the measure whose values these are.
  [[nodiscard]] std::optional<Measure> measureIn(const std::vector<CodeValue>& values) const {
    for (const auto& [measure, of] : measuresFor(rule_.kind)) {
      bool same = values.size() == probes_.size();
      for (std::size_t i = 0; same && i < probes_.size(); ++i) {
        same = values[i].kind == CodeValue::Kind::integer && values[i].integer == of(probes_[i]);
      }
      if (same) {
        return measure;
      }
    }
    return std::nullopt;
  }

  /// Returns the comparisons of the condition; none if one of them has another form.
  [[nodiscard]] Comparisons comparisonsIn(const Expression& condition) const {
    std::vector<const Expression*> leaves;
    std::vector<std::string> joints;
    collectLeaves(condition, leaves, joints);
    Comparisons found{{}, joints.empty() ? "" : joints.front()};
    for (const Expression* leaf : leaves) {
      const auto sides = sides_.find(leaf);
      if (sides == sides_.end()) {
        return {};
      }
      const auto& [left, right] = sides->second;
      const bool swapped = constantIn(left).has_value();
      const auto value = constantIn(swapped ? left : right);
      const auto measure = measureIn(swapped ? right : left);
      if (!value || !measure) {
        return {};
      }
      found.all.push_back({&leaf->operands[swapped ? 0 : 1], *measure,
                           swapped ? flipped(leaf->text) : leaf->text, *value});
    }
    const bool mixed = std::ranges::any_of(
        joints, [&](const std::string& joint) { return joint != found.joined; });
    return mixed ? Comparisons{} : found;
  }

  /// Returns the form whose measures the conditions use.
  [[nodiscard]] SourceForm detectForm(
      const std::vector<std::pair<std::size_t, Comparisons>>& read) const {
    const auto uses = [&](std::initializer_list<Measure> measures) {
      return std::ranges::any_of(read, [&](const auto& condition) {
        return std::ranges::any_of(condition.second.all, [&](const Comparison& one) {
          return std::ranges::find(measures, one.measure) != measures.end();
        });
      });
    };
    if (rule_.kind == ReductionKind::convolution) {
      return uses({Measure::channels, Measure::batch, Measure::chainRatio}) &&
                     !uses({Measure::parallel})
                 ? SourceForm::chain
                 : SourceForm::functions;
    }
    return uses({Measure::output}) ? SourceForm::functions : SourceForm::chain;
  }

  /// Finds the constants of a condition that is one of those in EarlyReturns; returns false for
  /// another one.
  bool place(const Comparisons& comparisons) {
    const auto& all = comparisons.all;
    const bool conv = rule_.kind == ReductionKind::convolution;
    const bool chain = rule_.form == SourceForm::chain;
    const auto find = [&](Measure measure) -> const Comparison* {
      const auto at = std::ranges::find(all, measure, &Comparison::measure);
      return at == all.end() ? nullptr : &*at;
    };
    using enum Measure;
    const std::string_view largeOp = conv ? ">=" : ">";
    if (all.size() == 1 && !chain && all[0].measure == (conv ? parallel : output)) {
      return put(0, all[0], largeOp);
    }
    if (all.size() == 2 && chain && comparisons.joined == (conv ? "&&" : "||")) {
      const Comparison* first = find(conv ? channels : rows);
      const Comparison* second = find(conv ? batch : columns);
      if (first != nullptr && second != nullptr && first->op == second->op &&
          first->constant->kind == Expression::Kind::name &&
          first->constant->text == second->constant->text && put(0, *first, largeOp)) {
        const bool isDeclared = !rule_.constants[0]->inCondition;
        if (!isDeclared) {  // the value is in two places
          rule_.constants[0].reset();
        }
        return isDeclared;
      }
    }
    const Comparison* summed = find(reduction);
    if (summed == nullptr || comparisons.joined != "&&") {
      return false;
    }
    const Comparison* ratioOne = find(conv && chain ? chainRatio : ratio);
    if (all.size() == 2 && ratioOne != nullptr) {
      const bool both = put(1, *summed, "<") && put(2, *ratioOne, !conv && !chain ? "<" : "<=");
      if (!both) {
        rule_.constants[1].reset();
      }
      return both;
    }
    return !chain && hasHugeBounds(all) && put(3, *summed, "<");
  }

  /// Returns true if the bounds of the output size are those of the compiler.
  [[nodiscard]] bool hasHugeBounds(const std::vector<Comparison>& all) const {
    const auto has = [&](std::string_view op, std::int64_t value) {
      return std::ranges::any_of(all, [&](const Comparison& one) {
        return one.measure == Measure::output && one.op == op && one.value == value;
      });
    };
    if (rule_.kind == ReductionKind::convolution) {
      return all.size() == 2 && has(">=", 2L * 1024 * 1024);
    }
    return all.size() == 3 && has(">=", 1024L * 1024) && has("<", 1500L * 1024);
  }

  /// Stores the place of a constant that EarlyReturns compares with `op`.
  bool put(std::size_t constant, const Comparison& comparison, std::string_view op) {
    if (comparison.op.front() != op.front() || rule_.constants[constant]) {
      return false;
    }
    ConstantPlace place{.value = comparison.value, .inCondition = true};
    if (comparison.op != op) {
      // a < b is a <= b - 1; a > b is a >= b + 1.
      place.offset = (op.size() == 1) == (op.front() == '<') ? -1 : 1;
      place.value -= place.offset;
    }
    place.begin = comparison.constant->begin;
    place.end = comparison.constant->end;
    for (const Statement& statement : *rule_.body) {
      if (statement.begin <= place.begin && place.begin < statement.end) {
        place.statement = statement.begin;
      }
    }
    for (const Statement& statement : *rule_.body) {
      if (statement.kind == Statement::Kind::declaration && statement.value &&
          source_.tokens[statement.begin].text == "const" &&
          comparison.constant->kind == Expression::Kind::name &&
          statement.name == comparison.constant->text) {
        if (isUsedElsewhere(statement, place.statement)) {
          return false;
        }
        place.begin = statement.value->begin;
        place.end = statement.value->end;
        place.statement = statement.begin;
        place.inCondition = false;
      }
    }
    rule_.constants[constant] = place;
    return true;
  }

  /// Returns true if a constant is used outside its declaration and the condition at a token.
  [[nodiscard]] bool isUsedElsewhere(const Statement& constant, std::size_t condition) const {
    return std::ranges::any_of(*rule_.body, [&](const Statement& one) {
      return one.begin != constant.begin && one.begin != condition &&
             mentions(source_, one.begin, one.end, constant.name);
    });
  }

  SourceRule& rule_;
  const Source& source_;
  std::vector<Reduction> probes_;
  std::set<std::size_t> understood_;  ///< early returns that depend on sizes only
  std::map<const Expression*, Sides> sides_;
};

}  // namespace

Result<void> readConditions(SourceRule& rule) { return ConditionReader(rule).read(); }

}  // namespace hone::split
