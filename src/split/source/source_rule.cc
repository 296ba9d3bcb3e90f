#include "split/source/source_rule.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;

constexpr std::size_t kProbes = 24;

std::string_view limitFunctionName(ReductionKind kind) {
  return kind == ReductionKind::convolution ? "getConvolutionLimitParallelLoops"
                                            : "getMatmulLimitParallelLoops";
}

/// Returns the possible names of the function with the early returns.
std::vector<std::string_view> sizesFunctionNames(ReductionKind kind) {
  if (kind == ReductionKind::matmul) {
    return {"getMatmulLikeReductionSizes"};
  }
  return {"getConvolutionReductionSizes", "getWeightBackwardReductionSizes"};
}

/// Returns an error for the construct at the token.
std::unexpected<Error> notUnderstood(const Source& source, std::string_view function,
                                     std::size_t token) {
  std::size_t end = token;
  const auto ends = [](std::string_view text) {
    return text == "&&" || text == "||" || std::string_view(";{}),?:").contains(text);
  };
  while (end < source.tokens.size() && !ends(source.tokens[end].text)) {
    end = source.partners[end] + 1;
  }
  constexpr std::size_t kMaxText = 60;
  std::string text = quoteTokens(source, token, std::max(end, token + 1));
  if (text.size() > kMaxText) {
    text = text.substr(0, kMaxText) + "…";
  }
  return source.error(source.tokens[token].line, "{}: hone does not understand '{}'", function,
                      text);
}

/// Returns the sizes of an operation under their names in the source.
CodeRun::Inputs inputsFor(const Reduction& reduction) {
  CodeRun::Inputs inputs;
  inputs["tileSizes"] = {.kind = CodeValue::Kind::list, .list = reduction.sizes};
  inputs["maybeSizes"] = inputs["tileSizes"];
  inputs["batchSize"] = integerValue(reduction.batchSize);
  if (reduction.kind == ReductionKind::matmul) {
    inputs["mSize"] = integerValue(reduction.mSize);
    inputs["nSize"] = integerValue(reduction.nSize);
    inputs["kSize"] = integerValue(reduction.reductionSize());
    return inputs;
  }
  inputs["outputChannelSize"] = integerValue(reduction.outputChannelSize);
  inputs["imageSize"] = integerValue(reduction.imageSize);
  inputs["depthSize"] = integerValue(reduction.depthSize);
  inputs["reductionSize"] = integerValue(reduction.reductionSize());
  inputs["isBatchFirstLayout"] = booleanValue(reduction.batchFirst);
  return inputs;
}

/// Parses a function of the source; null if there is none, or more than one.
std::shared_ptr<const CodeFunction> parsedFunction(const Source& source, const std::string& name) {
  const auto found = findDefinition(source, name);
  if (!found || !*found) {
    return nullptr;
  }
  const Definition& at = **found;
  return std::make_shared<CodeFunction>(
      CodeFunction{parameterNames(source, at.parametersBegin, at.parametersEnd),
                   parseStatements(source, at.bodyBegin, at.bodyEnd)});
}

CodeRun startRun(const SourceRule& rule, const Reduction& reduction, bool lowParallelism) {
  const Source& source = *rule.source;
  CodeRun run(inputsFor(reduction), [&source, known = rule.functions](const std::string& name) {
    if (const auto at = known->find(name); at != known->end()) {
      return at->second;
    }
    return (*known)[name] = parsedFunction(source, name);
  });
  for (const std::string& name : rule.parameters) {
    run.define(name, {.cause = rule.sizes.name});
  }
  if (std::ranges::find(rule.parameters, "lowParallelism") != rule.parameters.end()) {
    run.define("lowParallelism", booleanValue(lowParallelism));
  }
  return run;
}

bool returnsNone(const Statement& statement) {
  return statement.kind == Statement::Kind::returns && statement.value &&
         statement.value->kind == Expression::Kind::none;
}

/// Returns true if every return in the statements is `return std::nullopt;`.
bool onlyReturnsNone(std::span<const Statement> statements) {
  return std::ranges::all_of(statements, [](const Statement& one) {
    return one.kind != Statement::Kind::unsupported &&
           (one.kind != Statement::Kind::returns || returnsNone(one)) &&
           onlyReturnsNone(one.body) && onlyReturnsNone(one.otherwise);
  });
}

/// Returns true for `if (…) { … return std::nullopt; }`.
bool isEarlyReturn(const Statement& statement) {
  return statement.kind == Statement::Kind::condition && statement.elseAt == 0 &&
         !statement.body.empty() && returnsNone(statement.body.back()) &&
         onlyReturnsNone(statement.body);
}

bool isLoop(const Statement& statement) {
  return statement.kind == Statement::Kind::loop || statement.kind == Statement::Kind::rangeLoop;
}

/// Returns true if the statement contains the word.
bool mentions(const Source& source, std::size_t begin, std::size_t end, std::string_view word) {
  const auto tokens = std::span(source.tokens).subspan(begin, end - begin);
  return std::ranges::find(tokens, word, &Token::text) != tokens.end();
}

/// Returns true if a size that hone knows is part of the condition.
bool mentionsSize(const CodeRun& run, const Expression& condition) {
  bool found = false;
  forEach(condition, [&](const Expression& one) {
    found = found || (one.kind == Expression::Kind::name && run.lookUp(one.text).isKnown() &&
                      run.lookUp(one.text).kind != CodeValue::Kind::function);
  });
  return found;
}

// Conditions

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

/// Observes the code for several random operations, without taking early returns, to find the
/// meaning of the conditions.
class Observer {
 public:
  explicit Observer(SourceRule& rule) : rule_(rule), source_(*rule.source) {
    Random random(1);
    for (std::size_t i = 0; i < kProbes; ++i) {
      probes_.push_back(randomReduction(random, rule.kind));
      probes_.back().batchFirst = rule.kind == ReductionKind::convolution && i % 2 == 0;
    }
  }

  Result<void> observe() {
    for (const Reduction& probe : probes_) {
      HONE_CHECK(observe(probe));
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
  Result<void> observe(const Reduction& probe) {
    CodeRun run = startRun(rule_, probe, false);
    const bool first = &probe == &probes_.front();
    for (std::size_t i = 0; i < rule_.decision; ++i) {
      const Statement& statement = (*rule_.body)[i];
      const int line = source_.tokens[statement.begin].line;
      if (isEarlyReturn(statement)) {
        HONE_CHECK(observeReturn(run, statement, i, first));
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

  Result<void> observeReturn(CodeRun& run, const Statement& statement, std::size_t index,
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

// Location of the limit

/// Finds the chain `int64_t limitParallelLoops; if …`.
Result<void> findChain(SourceRule& rule) {
  const Source& source = *rule.source;
  const std::vector<Statement>& body = *rule.body;
  const auto declared = std::ranges::find_if(body, [](const Statement& one) {
    return one.kind == Statement::Kind::declaration && one.name == kLimitName;
  });
  if (declared == body.end()) {
    return source.error(source.tokens[rule.sizes.name].line, "{} does not declare {}",
                        rule.function(), kLimitName);
  }
  rule.declaration = static_cast<std::size_t>(declared - body.begin());
  const auto setter = std::find_if(declared + 1, body.end(), [&](const Statement& one) {
    return mentions(source, one.begin, one.end, kLimitName);
  });
  const bool isChain = setter != body.end() && (setter->kind == Statement::Kind::condition ||
                                                setter->kind == Statement::Kind::assignment);
  if (declared->value || !isChain) {
    return source.error(source.tokens[declared->begin].line,
                        "{}: expected '{};' followed by an if/else chain that sets it",
                        rule.function(), kLimitName);
  }
  rule.decision = static_cast<std::size_t>(setter - body.begin());
  for (auto later = setter + 1; later != body.end(); ++later) {
    if (later->kind == Statement::Kind::assignment && later->name == kLimitName &&
        later->op == "=") {
      return source.error(source.tokens[later->begin].line, "{} is set again after the chain",
                          kLimitName);
    }
  }
  return {};
}

/// Finds the call of the function that returns the limit.
Result<void> findCall(SourceRule& rule) {
  const Source& source = *rule.source;
  const std::string_view name = source.tokens[rule.limit->name].text;
  rule.limitParameters = HONE_TRY(
      findParameters(source, *rule.limit, {"outputSize", "reductionSize", "startTileSize"}));
  const auto calls = [&](const Statement& one) {
    return mentions(source, one.begin, one.end, name);
  };
  if (std::ranges::count_if(*rule.body, calls) != 1) {
    return source.error(source.tokens[rule.sizes.name].line, "{} must call {} once",
                        rule.function(), name);
  }
  rule.decision =
      static_cast<std::size_t>(std::ranges::find_if(*rule.body, calls) - rule.body->begin());
  rule.declaration = rule.decision;
  return {};
}

/// Checks that the code gives every one of many operations a limit that hone can compute.
Result<void> checkLimits(const SourceRule& rule) {
  Random random(2);
  constexpr int kChecks = 100;
  for (int i = 0; i < kChecks; ++i) {
    const Reduction one = randomReduction(random, rule.kind);
    HONE_TRY(limitUnder(rule, one, i % 2 == 0));
  }
  return {};
}

}  // namespace

Result<std::optional<Definition>> sizesFunction(const Source& source, ReductionKind kind) {
  for (const std::string_view name : sizesFunctionNames(kind)) {
    if (auto found = HONE_TRY(findDefinition(source, name))) {
      return found;
    }
  }
  return std::nullopt;
}

Result<bool> hasLimit(const Source& source, ReductionKind kind) {
  const auto sizes = HONE_TRY(sizesFunction(source, kind));
  return sizes && (mentions(source, sizes->bodyBegin, sizes->bodyEnd, kLimitName) ||
                   HONE_TRY(findDefinition(source, limitFunctionName(kind))));
}

Result<SourceRule> readRule(const Source& source, ReductionKind kind) {
  SourceRule rule;
  rule.source = &source;
  rule.kind = kind;
  const auto sizes = HONE_TRY(sizesFunction(source, kind));
  if (!sizes) {
    return source.error(1, "function {} not found", sizesFunctionNames(kind).front());
  }
  rule.sizes = *sizes;
  rule.functions = std::make_shared<std::map<std::string, std::shared_ptr<const CodeFunction>>>();
  rule.parameters = parameterNames(source, sizes->parametersBegin, sizes->parametersEnd);
  rule.limit = HONE_TRY(findDefinition(source, limitFunctionName(kind)));
  rule.body = std::make_shared<std::vector<Statement>>(
      parseStatements(source, sizes->bodyBegin, sizes->bodyEnd));
  for (const Statement& statement : *rule.body) {
    if (statement.kind == Statement::Kind::unsupported) {
      return notUnderstood(source, rule.function(), statement.begin);
    }
  }
  HONE_CHECK(rule.limit ? findCall(rule) : findChain(rule));
  HONE_CHECK(Observer(rule).observe());
  if (rule.disabled.empty()) {
    HONE_CHECK(checkLimits(rule));
  }
  return rule;
}

Result<std::optional<std::int64_t>> limitUnder(const SourceRule& rule, const Reduction& reduction,
                                               bool lowParallelism) {
  CodeRun run = startRun(rule, reduction, lowParallelism);
  for (const Statement& statement : *rule.body) {
    const bool usesLimit = isLoop(statement) || statement.kind == Statement::Kind::returns;
    const bool isKnown = run.lookUp(kLimitName).isKnown();
    if ((usesLimit && run.isDeclared(kLimitName)) ||
        (isKnown && statement.kind == Statement::Kind::other)) {
      break;
    }
    if (isEarlyReturn(statement)) {
      const CodeValue condition = run.evaluate(*statement.value);
      if (condition.isKnown() && condition.integer != 0) {
        return std::nullopt;
      }
      if (condition.isKnown() || !mentionsSize(run, *statement.value)) {
        continue;
      }
      return notUnderstood(*rule.source, rule.function(), condition.cause);
    }
    const auto ending = run.execute(statement);
    if (!ending.returned || (isLoop(statement) && onlyReturnsNone(statement.body))) {
      continue;
    }
    if (ending.value.kind == CodeValue::Kind::none) {
      return std::nullopt;
    }
    return notUnderstood(*rule.source, rule.function(),
                         ending.value.isKnown() ? statement.begin : ending.value.cause);
  }
  const CodeValue limit = run.lookUp(kLimitName);
  if (limit.kind == CodeValue::Kind::integer && limit.integer >= 1) {
    return limit.integer;
  }
  return notUnderstood(
      *rule.source, rule.function(),
      limit.isKnown() || limit.cause == 0 ? (*rule.body)[rule.declaration].begin : limit.cause);
}

Reduction randomReduction(Random& random, ReductionKind kind) {
  const auto size = [&](std::size_t bits) {
    return static_cast<std::int64_t>(random.below(std::size_t{1} << random.below(bits + 1))) + 1;
  };
  Reduction reduction{.kind = kind, .sizes = {size(12), size(13)}};
  reduction.batchSize = size(6);
  if (kind == ReductionKind::convolution) {
    reduction.batchFirst = random.below(2) == 0;
    reduction.outputChannelSize = size(12);
    reduction.imageSize = size(12);
    reduction.depthSize = size(2);
  } else {
    reduction.mSize = size(12);
    reduction.nSize = size(12);
  }
  return reduction;
}

}  // namespace hone::split
