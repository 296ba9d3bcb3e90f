#include "split/source/measured_edit.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "split/source/cpp_code.h"

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;

/// Collects the edits of one kind.
class MeasuredEdit {
 public:
  MeasuredEdit(const SourceRule& rule, const Heuristic& heuristic, std::vector<Edit>& edits)
      : rule_(rule),
        source_(*rule.source),
        heuristic_(heuristic),
        range_(heuristic.range),
        edits_(edits) {}

  Result<void> add() {
    addConstants();
    addOtherConditions();
    HONE_CHECK(addMissingReturns());
    if (!rule_.limit) {
      touch(rule_.declaration);
      HONE_CHECK(addChain());
    } else {
      addToLimitFunction();
    }
    return firstTouched_ < rule_.body->size() ? declareMeasured() : Result<void>();
  }

 private:
  [[nodiscard]] const Statement& statement(std::size_t index) const { return (*rule_.body)[index]; }
  [[nodiscard]] std::size_t offsetAt(std::size_t token) const {
    return source_.tokens[token].begin;
  }

  /// Notes a statement that uses `isMeasured`.
  void touch(std::size_t index) { firstTouched_ = std::min(firstTouched_, index); }
  void touchAt(std::size_t token) {
    for (std::size_t i = 0; i < rule_.body->size(); ++i) {
      if (statement(i).begin <= token && token < statement(i).end) {
        touch(i);
      }
    }
  }

  [[nodiscard]] bool isDeclared(std::string_view name, std::size_t before) const {
    return std::any_of(rule_.body->begin(),
                       rule_.body->begin() + static_cast<std::ptrdiff_t>(before),
                       [&](const Statement& one) {
                         return one.kind == Statement::Kind::declaration && one.name == name;
                       });
  }

  /// Returns an expression for the output size before a statement.
  [[nodiscard]] Result<std::string> outputText(std::size_t before) const {
    if (isDeclared("outputSize", before)) {
      return "outputSize";
    }
    const bool conv = rule_.kind == ReductionKind::convolution;
    const std::vector<std::string> factors =
        conv ? std::vector<std::string>{"outputChannelSize", "batchSize", "imageSize", "depthSize"}
             : std::vector<std::string>{"mSize", "nSize", "batchSize"};
    for (const std::string& factor : factors) {
      if (!isDeclared(factor, before)) {
        return missing("outputSize", before);
      }
    }
    return fmt::format("{}", fmt::join(factors, " * "));
  }

  [[nodiscard]] Result<std::string> reductionText(std::size_t before) const {
    for (const char* name : {"reductionSize", "kSize"}) {
      if (isDeclared(name, before)) {
        return name;
      }
    }
    for (const auto& [name, expression] :
         {std::pair("tileSizes", "llvm::product_of(tileSizes)"),
          std::pair("maybeSizes", "llvm::product_of(*maybeSizes)")}) {
      if (isDeclared(name, before)) {
        return expression;
      }
    }
    return missing("reductionSize", before);
  }

  [[nodiscard]] std::unexpected<Error> missing(std::string_view name, std::size_t before) const {
    return source_.error(source_.tokens[statement(before).begin].line,
                         "{} does not declare '{}' before this line", rule_.function(), name);
  }

  /// Replaces constants whose values differ in the measured range.
  void addConstants() {
    for (std::size_t i = 0; i < kReturnConstants.size(); ++i) {
      const auto& place = rule_.constants[i];
      const std::int64_t wanted = heuristic_.returns.*kReturnConstants[i];
      if (!place || place->value == wanted) {
        continue;
      }
      const std::size_t begin = offsetAt(place->begin);
      const std::size_t end = source_.tokens[place->end - 1].end;
      const std::string value = fmt::format("{} ? {} : {}", kMeasuredName, wanted + place->offset,
                                            std::string(source_.text.substr(begin, end - begin)));
      edits_.push_back({{begin, end}, place->inCondition ? fmt::format("({})", value) : value});
      touchAt(place->statement);
    }
  }

  /// Disables the source's other conditions on sizes in the measured range.
  void addOtherConditions() {
    for (const ReturnCondition& condition : rule_.conditions) {
      if (condition.isKnown) {
        continue;
      }
      const std::size_t begin = offsetAt(condition.begin);
      const std::size_t end = source_.tokens[condition.end - 1].end;
      edits_.push_back({{begin, begin}, fmt::format("!{} && (", kMeasuredName)});
      edits_.push_back({{end, end}, ")"});
      touchAt(condition.statement);
    }
  }

  /// Adds the early returns of the heuristic that the source does not have, if they matter for
  /// sizes in the range.
  Result<void> addMissingReturns() {
    std::vector<std::vector<std::string>> conditions;  // joined by &&
    const EarlyReturns& returns = heuristic_.returns;
    const bool conv = rule_.kind == ReductionKind::convolution;
    const bool chain = rule_.form == SourceForm::chain;
    const std::size_t before = rule_.declaration;
    const std::string summed = HONE_TRY(reductionText(before));
    const std::string output = HONE_TRY(outputText(before));
    if (!rule_.constants[0] && largeParallelMatters()) {
      const std::int64_t value = returns.largeParallel;
      if (conv && chain) {
        conditions.push_back(
            {fmt::format("outputChannelSize >= {}", value), fmt::format("batchSize >= {}", value)});
      } else {
        conditions.push_back({conv    ? fmt::format("{} >= {}", parallelText(before), value)
                              : chain ? fmt::format("(mSize > {0} || nSize > {0})", value)
                                      : fmt::format("{} > {}", output, value)});
      }
    }
    if (!rule_.constants[1] && range_.minReduction < returns.smallReduction) {
      const std::string root = !conv   ? "mSize * nSize"
                               : chain ? "outputChannelSize * batchSize"
                                       : parallelText(before);
      conditions.push_back(
          {fmt::format("{} < {}", summed, returns.smallReduction),
           fmt::format("static_cast<int64_t>({} / std::sqrt({}){}) {} {}", summed, root,
                       conv ? "" : " / batchSize", !conv && !chain ? "<" : "<=", returns.ratio)});
    }
    if (!rule_.constants[3] && !chain && hugeMatters()) {
      auto& parts = conditions.emplace_back();
      parts.push_back(fmt::format("{} >= {}1024 * 1024", output, conv ? "2 * " : ""));
      if (!conv) {
        parts.push_back(fmt::format("{} < 1500 * 1024", output));
      }
      parts.push_back(fmt::format("{} < {}", summed, returns.modestReduction));
    }
    std::vector<std::string> lines;
    for (auto& parts : conditions) {
      parts.insert(parts.begin(), std::string(kMeasuredName));
      const auto condition = joinConditions("if (", parts, ") {");
      lines.insert(lines.end(), condition.begin(), condition.end());
      lines.emplace_back("  return std::nullopt;");
      lines.emplace_back("}");
    }
    if (!lines.empty()) {
      insertBefore(before, lines);
      touch(before);
    }
    return {};
  }

  /// Returns true if the output of a measured shape may reach the constant.
  [[nodiscard]] bool largeParallelMatters() const {
    const std::int64_t value = heuristic_.returns.largeParallel;
    const bool conv = rule_.kind == ReductionKind::convolution;
    if (conv && rule_.form == SourceForm::chain) {
      return value <= std::numeric_limits<int>::max() && range_.maxOutput >= value * value;
    }
    return conv ? range_.maxOutput >= value : range_.maxOutput > value;
  }

  [[nodiscard]] bool hugeMatters() const {
    const bool conv = rule_.kind == ReductionKind::convolution;
    const bool reaches = conv ? range_.maxOutput >= 2L * 1024 * 1024
                              : range_.maxOutput >= 1024L * 1024 && range_.minOutput < 1500L * 1024;
    return reaches && range_.minReduction < heuristic_.returns.modestReduction;
  }

  [[nodiscard]] std::string parallelText(std::size_t before) const {
    return isDeclared("parallelSize", before)
               ? "parallelSize"
               : "outputChannelSize * (isBatchFirstLayout ? imageSize : batchSize)";
  }

  Result<void> declareMeasured() {
    const std::size_t at = firstTouched_;
    const std::size_t offset = offsetAt(statement(at).begin);
    const auto lines = measuredDeclaration(
        range_, {.output = HONE_TRY(outputText(at)),
                 .reduction = HONE_TRY(reductionText(at)),
                 .kept = rule_.limit ? "their early returns" : "their own rules",
                 .indent = indentAt(source_.text, offset),
                 .hasLowParallelism = std::ranges::find(rule_.parameters, "lowParallelism") !=
                                      rule_.parameters.end()});
    // Above the comment of the statement, and before other insertions at this place.
    std::size_t start = lineStart(source_.text, offset);
    while (start > 0) {
      const std::size_t above = lineStart(source_.text, start - 1);
      const std::string_view line = source_.text.substr(above, start - above);
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos || !line.substr(first).starts_with("//")) {
        break;
      }
      start = above;
    }
    const std::string_view lineEnd = lineEndAt(source_.text, offset);
    edits_.insert(edits_.begin(),
                  {{start, start}, fmt::format("{}{}", fmt::join(lines, lineEnd), lineEnd)});
    return {};
  }

  /// Inserts lines, indented like the statement, before its line.
  void insertBefore(std::size_t index, const std::vector<std::string>& lines) {
    const std::size_t offset = offsetAt(statement(index).begin);
    const std::string indent = indentAt(source_.text, offset);
    const std::string_view lineEnd = lineEndAt(source_.text, offset);
    std::string text;
    for (const std::string& line : lines) {
      text += fmt::format("{}{}{}", indent, line, lineEnd);
    }
    const std::size_t start = lineStart(source_.text, offset);
    edits_.push_back({{start, start}, std::move(text)});
  }

  /// Puts the ladder before the chain: if (isMeasured) { … } else if …
  Result<void> addChain() {
    const Statement& chain = statement(rule_.decision);
    const std::size_t begin = offsetAt(chain.begin);
    const LadderNames names{
        HONE_TRY(outputText(rule_.declaration)), HONE_TRY(reductionText(rule_.declaration)),
        isDeclared("startTileSize", rule_.declaration) ? "startTileSize" : "tileSizes[0]"};
    const std::string_view lineEnd = lineEndAt(source_.text, begin);
    const std::string indent = indentAt(source_.text, begin);
    std::string text = fmt::format("if ({}) {{{}", kMeasuredName, lineEnd);
    for (const std::string& line : measuredLadder(heuristic_, names, LadderStyle::chain)) {
      text += fmt::format("{}  {}{}", indent, line, lineEnd);
    }
    text += fmt::format("{}}} else ", indent);
    if (chain.kind != Statement::Kind::condition) {
      text += fmt::format("{{{}{}  ", lineEnd, indent);
      const std::size_t end = source_.tokens[chain.end - 1].end;
      edits_.push_back({{end, end}, fmt::format("{}{}}}", lineEnd, indent)});
    }
    edits_.push_back({{begin, begin}, std::move(text)});
    return {};
  }

  /// Puts the ladder at the start of the function that returns the limit.
  void addToLimitFunction() {
    const std::size_t open = source_.tokens[rule_.limit->bodyBegin - 1].end;
    const std::size_t close = offsetAt(rule_.limit->bodyEnd);
    const std::string indent = indentAt(source_.text, close) + "  ";
    const std::string_view lineEnd = lineEndAt(source_.text, open);
    const auto& parameters = rule_.limitParameters;
    const bool low = std::ranges::find(parameters, "lowParallelism") != parameters.end();
    const auto lines = limitFunctionStart(heuristic_, indent, low);
    edits_.push_back({{open, open},
                      fmt::format("{}{}{}", lineEnd, fmt::join(lines, lineEnd),
                                  restOfLineIsBlank(source_.text, open) ? "" : lineEnd)});
  }

  const SourceRule& rule_;
  const Source& source_;
  const Heuristic& heuristic_;
  const MeasuredRange& range_;
  std::vector<Edit>& edits_;
  std::size_t firstTouched_ = std::numeric_limits<std::size_t>::max();
};

// Removal

/// Finds what hone inserted in one function.
class Removal {
 public:
  Removal(const Source& source, std::vector<Edit>& edits) : source_(source), edits_(edits) {}

  void remove(const Definition& function) {
    const auto& tokens = source_.tokens;
    for (std::size_t i = function.bodyBegin + 1; i + 1 < function.bodyEnd; ++i) {
      if (tokens[i].text != kMeasuredName) {
        continue;
      }
      if (matches(tokens, i - 1, {"bool"})) {
        removeDeclaration(i);
      } else if (matches(tokens, i + 1, {"?"})) {
        removeChoice(i);
      } else if (matches(tokens, i - 1, {"!"}) && matches(tokens, i + 1, {"&&", "("})) {
        const std::size_t close = source_.partners[i + 2];
        edits_.push_back({{tokens[i - 1].begin, tokens[i + 2].end}, ""});
        edits_.push_back({{tokens[close].begin, tokens[close].end}, ""});
      } else if (i >= 2 && matches(tokens, i - 2, {"if", "("})) {
        removeIf(i - 2);
      }
    }
  }

 private:
  void removeLines(std::size_t first, std::size_t last) {
    edits_.push_back({{lineStart(source_.text, source_.tokens[first].begin),
                       lineAfter(source_.text, source_.tokens[last].end)},
                      ""});
  }

  void removeDeclaration(std::size_t name) {
    std::size_t end = name;
    while (source_.tokens[end].text != ";") {
      end = source_.partners[end] + 1;
    }
    removeLines(name, end);
    // The comment and the sizes above it.
    std::size_t& start = edits_.back().place.begin;
    for (std::size_t at = start; at > 0;) {
      at = lineStart(source_.text, at - 1);
      const std::string_view line = source_.text.substr(at, start - at);
      const std::size_t first = line.find_first_not_of(" \t\r\n");
      if (first == std::string_view::npos || at < lineStart(source_.text, blockStart(name))) {
        break;
      }
      if (line.substr(first).starts_with(kMeasuredComment)) {
        start = at;
        break;
      }
    }
  }

  /// Returns the offset of the brace that opens the block of a token.
  [[nodiscard]] std::size_t blockStart(std::size_t token) const {
    int depth = 0;
    while (token > 0) {
      const std::string_view text = source_.tokens[--token].text;
      depth += text == "}" ? 1 : text == "{" ? -1 : 0;
      if (depth < 0) {
        break;
      }
    }
    return source_.tokens[token].begin;
  }

  /// Replaces `isMeasured ? NEW : OLD` by OLD.
  void removeChoice(std::size_t name) {
    const auto& tokens = source_.tokens;
    std::size_t colon = name;
    while (tokens[colon].text != ":" && tokens[colon].text != ";") {
      colon = source_.partners[colon] + 1;
    }
    const bool bracketed = tokens[name - 1].text == "(";
    edits_.push_back({{tokens[bracketed ? name - 1 : name].begin, tokens[colon + 1].begin}, ""});
    if (bracketed) {
      const std::size_t close = source_.partners[name - 1];
      edits_.push_back({{tokens[close].begin, tokens[close].end}, ""});
    }
  }

  void removeIf(std::size_t at) {
    const auto& tokens = source_.tokens;
    const std::size_t open = source_.partners[at + 1] + 1;
    const std::size_t close = source_.partners[open];
    if (!matches(tokens, close + 1, {"else"})) {
      removeLines(at, close);
      return;
    }
    const bool block = matches(tokens, close + 2, {"{"});
    const std::size_t kept = close + (block ? 3 : 2);
    edits_.push_back({{tokens[at].begin, tokens[kept].begin}, ""});
    if (block) {
      const std::size_t end = source_.partners[close + 2];
      edits_.push_back({{tokens[end - 1].end, tokens[end].end}, ""});
    }
  }

  const Source& source_;
  std::vector<Edit>& edits_;
};

// Check

/// Returns sizes around a number.
void addAround(std::set<std::int64_t>& sizes, std::int64_t size) {
  for (const std::int64_t near : {size - 1, size, size + 1}) {
    if (near >= 1) {
      sizes.insert(near);
    }
  }
}

/// Returns operations with sizes at all boundaries of the heuristic, and random ones.
std::vector<Reduction> checkedOperations(const Heuristic& heuristic) {
  std::set<std::int64_t> outputs;
  std::set<std::int64_t> reductions;
  for (const std::int64_t size : {heuristic.range.minOutput, heuristic.range.maxOutput}) {
    addAround(outputs, size);
  }
  for (const std::int64_t size : {heuristic.range.minReduction, heuristic.range.maxReduction}) {
    addAround(reductions, size);
  }
  for (const Band& band : heuristic.ladder.bands) {
    addAround(outputs, band.outputBelow);
    for (const Step& step : band.steps) {
      addAround(reductions, step.reductionBelow);
    }
  }
  std::vector<Reduction> operations;
  for (const std::int64_t output : outputs) {
    for (const std::int64_t summed : reductions) {
      Reduction one{.kind = heuristic.kind, .sizes = {summed}};
      one.outputChannelSize = one.mSize = output;
      operations.push_back(one);
    }
  }
  Random random(3);
  constexpr int kRandomOperations = 300;
  for (int i = 0; i < kRandomOperations; ++i) {
    operations.push_back(randomReduction(random, heuristic.kind));
  }
  return operations;
}

std::unexpected<Error> disagreement(const SourceRule& changed, const Reduction& one) {
  return userError(
      "internal error: {}: edited {} does not decide like the heuristic for output size {}, "
      "reduction size {} (please report it with the file)",
      changed.source->file, changed.function(), one.outputSize(), one.reductionSize());
}

}  // namespace

Result<void> addHeuristic(const SourceRule& rule, const Heuristic& heuristic,
                          std::vector<Edit>& edits) {
  std::vector<Edit> own;
  HONE_CHECK(MeasuredEdit(rule, heuristic, own).add());
  edits.insert(edits.end(), own.begin(), own.end());
  return {};
}

Result<std::vector<Edit>> makeRemoval(const Source& source) {
  std::vector<Edit> edits;
  for (const char* name : {"getConvolutionLimitParallelLoops", "getConvolutionReductionSizes",
                           "getWeightBackwardReductionSizes", "getMatmulLimitParallelLoops",
                           "getMatmulLikeReductionSizes"}) {
    if (const auto found = HONE_TRY(findDefinition(source, name))) {
      Removal(source, edits).remove(*found);
    }
  }
  return edits;
}

Result<void> checkHeuristic(const SourceRule& original, const SourceRule& changed,
                            const Heuristic& heuristic) {
  for (const Reduction& one : checkedOperations(heuristic)) {
    if (one.batchFirst && original.form == SourceForm::chain) {
      continue;  // this form returns early for them
    }
    for (const bool low : {false, true}) {
      const auto& parameters = original.parameters;
      const bool hasLow = std::ranges::find(parameters, "lowParallelism") != parameters.end();
      const bool measured =
          heuristic.range.contains(one.outputSize(), one.reductionSize()) && !(low && hasLow);
      const auto expected =
          measured ? chooseLimit(heuristic, one) : HONE_TRY(limitUnder(original, one, low));
      if (HONE_TRY(limitUnder(changed, one, low)) != expected) {
        return disagreement(changed, one);
      }
    }
  }
  return {};
}

}  // namespace hone::split
