#include "split/source/rule_run.h"

#include <algorithm>
#include <memory>
#include <string>

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;

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

bool returnsNone(const Statement& statement) {
  return statement.kind == Statement::Kind::returns && statement.value &&
         statement.value->kind == Expression::Kind::none;
}

}  // namespace

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

bool onlyReturnsNone(std::span<const Statement> statements) {
  return std::ranges::all_of(statements, [](const Statement& one) {
    return one.kind != Statement::Kind::unsupported &&
           (one.kind != Statement::Kind::returns || returnsNone(one)) &&
           onlyReturnsNone(one.body) && onlyReturnsNone(one.otherwise);
  });
}

bool isEarlyReturn(const Statement& statement) {
  return statement.kind == Statement::Kind::condition && statement.elseAt == 0 &&
         !statement.body.empty() && returnsNone(statement.body.back()) &&
         onlyReturnsNone(statement.body);
}

bool isLoop(const Statement& statement) {
  return statement.kind == Statement::Kind::loop || statement.kind == Statement::Kind::rangeLoop;
}

bool mentions(const Source& source, std::size_t begin, std::size_t end, std::string_view word) {
  const auto tokens = std::span(source.tokens).subspan(begin, end - begin);
  return std::ranges::find(tokens, word, &Token::text) != tokens.end();
}

bool mentionsSize(const CodeRun& run, const Expression& condition) {
  bool found = false;
  forEach(condition, [&](const Expression& one) {
    found = found || (one.kind == Expression::Kind::name && run.lookUp(one.text).isKnown() &&
                      run.lookUp(one.text).kind != CodeValue::Kind::function);
  });
  return found;
}

}  // namespace hone::split
