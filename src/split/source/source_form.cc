#include "split/source/source_form.h"

#include <algorithm>
#include <string_view>

#include "split/source/ladder_reader.h"
#include "split/source/source_function.h"

namespace hone::split {
namespace {

using model::ReductionKind;

constexpr std::string_view kLimit = "limitParallelLoops";

std::string_view limitFunctionName(ReductionKind kind) {
  return kind == ReductionKind::convolution ? "getConvolutionLimitParallelLoops"
                                            : "getMatmulLimitParallelLoops";
}

/// Returns the possible names of the function with the early returns; it was renamed between the
/// two forms.
std::vector<std::string_view> sizesFunctionNames(ReductionKind kind, SourceForm form) {
  if (kind == ReductionKind::matmul) {
    return {"getMatmulLikeReductionSizes"};
  }
  if (form == SourceForm::functions) {
    return {"getConvolutionReductionSizes"};
  }
  return {"getWeightBackwardReductionSizes", "getConvolutionReductionSizes"};
}

/// Returns the first of these functions that the source defines.
Result<Definition> require(const Source& source, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto found = HONE_TRY(findDefinition(source, name))) {
      return *found;
    }
  }
  return unsupportedForm(source, 1, "function {} not found", names.front());
}

bool isUse(const Source& source, std::size_t at, std::string_view word) {
  return source.tokens[at].kind == TokenKind::identifier && source.tokens[at].text == word;
}

/// Returns true if a statement begins at the token.
bool beginsStatement(const Source& source, std::size_t at) {
  return at > 0 && std::string_view(";{}").contains(source.tokens[at - 1].text);
}

/// Returns the index of NAME in a declaration `TYPE NAME =` at the top level of the function,
/// before `end`.
std::optional<std::size_t> findDeclaration(const Source& source, std::size_t begin, std::size_t end,
                                           std::string_view name) {
  for (const std::size_t i : topLevel(source, begin, end)) {
    if (i > begin && isUse(source, i, name) && source.tokens[i - 1].kind == TokenKind::identifier &&
        matches(source.tokens, i + 1, {"="})) {
      return i;
    }
  }
  return std::nullopt;
}

/// Returns variables that only this code uses; without it the compiler would warn about them.
std::vector<std::string> findCodeOnlyNames(const Source& source, const Decision& decision) {
  std::vector<std::string> names;
  for (const Token& token : decision.code(source)) {
    if (token.kind != TokenKind::identifier ||
        std::ranges::find(names, token.text) != names.end() ||
        !findDeclaration(source, decision.bodyBegin, decision.codeBegin, token.text)) {
      continue;
    }
    int uses = 0;
    for (std::size_t i = decision.bodyBegin; i < decision.bodyEnd; ++i) {
      const bool outside = i < decision.codeBegin || i >= decision.codeEnd;
      uses += outside && isUse(source, i, token.text) ? 1 : 0;
    }
    if (uses == 1) {
      names.emplace_back(token.text);
    }
  }
  return names;
}

/// Checks that the variables used by the inserted ladder are declared.
Result<void> checkVariables(const Source& source, const Decision& decision) {
  const std::string_view summed =
      decision.kind == ReductionKind::convolution ? "reductionSize" : "kSize";
  const auto top = topLevel(source, decision.bodyBegin, decision.codeBegin);
  const auto declared = [&](std::string_view type, std::string_view name) {
    return std::ranges::any_of(
        top, [&](std::size_t i) { return matches(source.tokens, i, {type, name, "="}); });
  };
  const int line = source.tokens[decision.codeBegin].line;
  for (const std::string_view size : {std::string_view("outputSize"), summed}) {
    if (!declared("int64_t", size)) {
      return unsupportedForm(source, line, "{} has no 'int64_t {} = …;' before this line",
                             decision.function, size);
    }
  }
  if (!declared(">", "tileSizes")) {
    return unsupportedForm(source, line,
                           "{} has no 'SmallVector<int64_t> tileSizes = …;' before this line",
                           decision.function);
  }
  return {};
}

/// Finds the chain from `int64_t limitParallelLoops;` to its end, including lines `(void)name;`
/// between.
Result<void> findChain(const Source& source, Decision& decision) {
  const std::vector<Token>& tokens = source.tokens;
  std::optional<std::size_t> begin;
  for (const std::size_t i : topLevel(source, decision.bodyBegin, decision.bodyEnd)) {
    if (matches(tokens, i, {"int64_t", kLimit}) && !begin) {
      begin = i;
    }
  }
  if (!begin || !beginsStatement(source, *begin) || !matches(tokens, *begin + 2, {";"})) {
    const std::size_t at = begin.value_or(decision.bodyBegin - 1);
    return unsupportedForm(source, tokens[at].line, "{} has no 'int64_t {};' followed by a chain",
                           decision.function, kLimit);
  }
  std::size_t chain = *begin + 3;
  while (matches(tokens, chain, {"(", "void", ")"}) && matches(tokens, chain + 4, {";"})) {
    chain += 5;
  }
  decision.codeBegin = *begin;
  decision.codeEnd = HONE_TRY(endOfLimitStatement(source, chain, decision.bodyEnd));
  for (std::size_t i = decision.bodyBegin; i + 1 < decision.bodyEnd; ++i) {
    const bool outside = i < decision.codeBegin || i >= decision.codeEnd;
    if (outside && (matches(tokens, i, {kLimit, "="}) || matches(tokens, i, {"int64_t", kLimit}))) {
      return unsupportedForm(source, tokens[i].line, "{} is set again outside the chain of line {}",
                             kLimit, tokens[*begin].line);
    }
  }
  return checkVariables(source, decision);
}

/// Finds the body of the function that returns the limit.
Result<void> findLimitFunction(const Source& source, const Definition& limit, Decision& decision) {
  const std::vector<Token>& tokens = source.tokens;
  const Token& name = tokens[limit.name];
  const std::size_t at = limit.name;
  const bool plain = at >= 1 && matches(tokens, at - 1, {"int64_t"});
  const bool optional =
      at >= 6 && matches(tokens, at - 6, {"std", "::", "optional", "<", "int64_t", ">"});
  if (!plain && !optional) {
    return unsupportedForm(source, name.line, "{} does not return std::optional<int64_t>",
                           name.text);
  }
  decision.codeOnly =
      HONE_TRY(findParameters(source, limit, {"outputSize", "reductionSize", "startTileSize"}));
  decision.codeBegin = limit.bodyBegin;
  decision.codeEnd = limit.bodyEnd;
  if (decision.codeBegin == decision.codeEnd) {
    return unsupportedForm(source, name.line, "empty body of {}", name.text);
  }
  return {};
}

/// Returns the index of the call of the function that returns the limit.
Result<std::size_t> findCall(const Source& source, const Decision& decision,
                             std::string_view name) {
  std::vector<std::size_t> calls;
  for (std::size_t i = decision.bodyBegin; i < decision.bodyEnd; ++i) {
    if (isUse(source, i, name)) {
      calls.push_back(i);
    }
  }
  if (calls.size() != 1) {
    const std::size_t at = calls.empty() ? decision.bodyBegin - 1 : calls[1];
    return unsupportedForm(source, source.tokens[at].line,
                           "{} must call {} once, calls it {} times", decision.function, name,
                           calls.size());
  }
  return calls[0];
}

/// Finds the early returns between the constants and the limit; those before test the kind of
/// operation, these its size. Rejects returns that do not have the form `if (…) { … return
/// std::nullopt; }`, which could not be disabled.
Result<void> findConditions(const Source& source, std::size_t end, Decision& decision) {
  const std::vector<Token>& tokens = source.tokens;
  const auto top = topLevel(source, decision.bodyBegin, end);
  const auto first = std::ranges::find_if(top, [&](std::size_t i) {
    return matches(tokens, i, {"const", "int64_t"}) || matches(tokens, i, {"constexpr", "int64_t"});
  });
  if (first == top.end()) {
    return unsupportedForm(source, tokens[decision.bodyBegin - 1].line,
                           "{} has no constants before the limit", decision.function);
  }
  std::vector<std::size_t> expected;  // returns of the known form
  for (const std::size_t i : std::span(first, top.end())) {
    if (!matches(tokens, i, {"if", "("})) {
      continue;
    }
    const std::size_t close = source.partners[i + 1];
    if (close == i + 2 || !matches(tokens, close + 1, {"{"})) {
      continue;
    }
    const std::size_t blockEnd = source.partners[close + 1];
    if (blockEnd >= end || blockEnd < close + 7 ||
        !matches(tokens, blockEnd - 5, {"return", "std", "::", "nullopt", ";"})) {
      continue;
    }
    if (tokens[i + 2].text == "false") {
      decision.switchedOff.push_back(tokens[i].line);
    }
    expected.push_back(blockEnd - 5);
    decision.conditions.push_back({tokens[i + 2].begin, tokens[close - 1].end});
  }
  for (std::size_t i = *first; i < end; ++i) {
    if (tokens[i].text == "return" && std::ranges::find(expected, i) == expected.end()) {
      return unsupportedForm(source, tokens[i].line,
                             "expected a return of the form 'if (…) {{ … return std::nullopt; }}'");
    }
  }
  return {};
}

Result<ConstantLocation> constantIn(const Source& source, const Decision& decision,
                                    const std::string& name) {
  const std::vector<Token>& tokens = source.tokens;
  std::vector<std::size_t> declared;
  std::optional<std::size_t> mentioned;
  for (std::size_t i = decision.bodyBegin; i < decision.bodyEnd; ++i) {
    if (isUse(source, i, name)) {
      mentioned = mentioned.value_or(i);
      if (tokens[i - 1].kind == TokenKind::identifier && tokens[i - 1].text != "return") {
        declared.push_back(i);
      }
    }
  }
  const auto refused = [&](std::size_t at) {
    return unsupportedForm(source, tokens[at].line, "expected 'const int64_t {} = NUMBER;' in {}",
                           name, decision.function);
  };
  if (!mentioned) {
    return unsupportedForm(source, tokens[decision.bodyBegin - 1].line, "{} has no constant '{}'",
                           decision.function, name);
  }
  if (declared.size() != 1 || declared[0] != *mentioned) {
    return refused(declared.size() > 1 ? declared[1] : *mentioned);
  }
  const std::size_t at = declared[0];
  const auto top = topLevel(source, decision.bodyBegin, decision.bodyEnd);
  const bool isConstant = at >= decision.bodyBegin + 2 && beginsStatement(source, at - 2) &&
                          (matches(tokens, at - 2, {"const", "int64_t"}) ||
                           matches(tokens, at - 2, {"constexpr", "int64_t"})) &&
                          matches(tokens, at + 1, {"="}) && std::ranges::binary_search(top, at);
  std::size_t valueEnd = at + 2;
  const auto value = isConstant ? readProduct(tokens, valueEnd) : std::nullopt;
  if (!value || !matches(tokens, valueEnd, {";"})) {
    return refused(at);
  }
  return ConstantLocation{{name, *value}, {tokens[at + 2].begin, tokens[valueEnd - 1].end}};
}

}  // namespace

Result<Decision> decisionFor(const Source& source, ReductionKind kind) {
  Decision decision;
  decision.kind = kind;
  const auto limit = HONE_TRY(findDefinition(source, limitFunctionName(kind)));
  decision.form = limit ? SourceForm::functions : SourceForm::chain;
  const Definition sizes = HONE_TRY(require(source, sizesFunctionNames(kind, decision.form)));
  decision.function = source.tokens[sizes.name].text;
  decision.bodyBegin = sizes.bodyBegin;
  decision.bodyEnd = sizes.bodyEnd;
  if (limit) {
    HONE_CHECK(findLimitFunction(source, *limit, decision));
    const std::size_t call = HONE_TRY(findCall(source, decision, limitFunctionName(kind)));
    HONE_CHECK(findConditions(source, call, decision));
  } else {
    HONE_CHECK(findChain(source, decision));
    HONE_CHECK(findConditions(source, decision.codeBegin, decision));
    decision.codeOnly = findCodeOnlyNames(source, decision);
  }
  return decision;
}

Result<void> checkFunction(const Source& source, const Decision& decision) {
  const std::string expected =
      functionName({.kind = decision.kind, .form = decision.form, .returns = {}, .ladder = {}});
  if (decision.function != expected) {
    return unsupportedForm(source, source.tokens[decision.bodyBegin - 1].line,
                           "expected the chain in {}, found it in {}", expected, decision.function);
  }
  return {};
}

Result<std::vector<ConstantLocation>> constantsIn(const Source& source, const Decision& decision,
                                                  std::span<const NamedConstant> named) {
  std::vector<ConstantLocation> places;
  for (const NamedConstant& constant : named) {
    places.push_back(HONE_TRY(constantIn(source, decision, constant.name)));
  }
  return places;
}

Result<SourceForm> detectForm(const Source& source) {
  const bool convolution =
      HONE_TRY(findDefinition(source, limitFunctionName(ReductionKind::convolution))).has_value();
  const bool matmul =
      HONE_TRY(findDefinition(source, limitFunctionName(ReductionKind::matmul))).has_value();
  if (convolution != matmul) {
    return unsupportedForm(source, 1, "expected both {} and {}, found only one",
                           limitFunctionName(ReductionKind::convolution),
                           limitFunctionName(ReductionKind::matmul));
  }
  if (!matmul) {
    HONE_TRY(decisionFor(source, ReductionKind::matmul));
  }
  return matmul ? SourceForm::functions : SourceForm::chain;
}

Result<Heuristic> heuristicIn(const Source& source, ReductionKind kind) {
  const Decision decision = HONE_TRY(decisionFor(source, kind));
  Heuristic heuristic{.kind = kind, .form = decision.form, .returns = {}, .ladder = {}};
  HONE_CHECK(checkFunction(source, decision));
  const auto places = HONE_TRY(constantsIn(source, decision, listConstants(heuristic)));
  heuristic.returns = {places[0].constant.value, places[1].constant.value,
                       places[2].constant.value};
  heuristic.ladder = HONE_TRY(ladderFrom(source, decision.code(source), decision.form, kind));
  return heuristic;
}

}  // namespace hone::split
