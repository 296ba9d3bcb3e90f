#include "split/source/source_rule.h"

#include <algorithm>
#include <string_view>

#include "split/source/rule_conditions.h"
#include "split/source/rule_run.h"

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;

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
  HONE_CHECK(readConditions(rule));
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
