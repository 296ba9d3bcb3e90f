#include "split/source/source_edit.h"

#include <algorithm>
#include <array>

#include "split/source/measured_edit.h"

namespace hone::split {
namespace {

using model::ReductionKind;

Result<void> checkValues(const Heuristic& heuristic) {
  const EarlyReturns& returns = heuristic.returns;
  bool good = std::min({returns.largeParallel, returns.smallReduction, returns.ratio,
                        returns.modestReduction}) >= 0;
  good = good && heuristic.ladder.cap >= 1;
  for (const Band& band : heuristic.ladder.bands) {
    good = good && band.outputBelow >= 1 && band.limit >= 1;
    for (const Step& step : band.steps) {
      good = good && step.reductionBelow >= 1 && step.limit >= 1;
    }
  }
  if (!good) {
    return userError(
        "invalid heuristic for {}: constants must be at least 0, sizes and limits at least 1",
        model::nameOf(heuristic.kind));
  }
  const MeasuredRange& range = heuristic.range;
  if (range.shapes < 1 || range.minOutput > range.maxOutput ||
      range.minReduction > range.maxReduction) {
    return userError(
        "the heuristic for {} has no measured range; run hone split analyze to create it again",
        model::nameOf(heuristic.kind));
  }
  return {};
}

Result<SourceRule> editableRule(const Source& source, ReductionKind kind) {
  SourceRule rule = HONE_TRY(readRule(source, kind));
  if (!rule.disabled.empty()) {
    return source.error(rule.disabled[0],
                        "this early return is disabled; revert the edit first, from "
                        "{}.hone-backup or with git",
                        source.file);
  }
  return rule;
}

std::unexpected<Error> notReadBack(const Source& source) {
  return userError(
      "internal error: {}: edited text does not parse back to the same heuristic (please report "
      "it with the file)",
      source.file);
}

// A fixed limit

bool declares(const SourceRule& rule, std::string_view name) {
  return std::any_of(rule.body->begin(),
                     rule.body->begin() + static_cast<std::ptrdiff_t>(rule.declaration),
                     [&](const Statement& one) {
                       return one.kind == Statement::Kind::declaration && one.name == name;
                     });
}

/// Returns variables that only the chain uses; without it the compiler would warn about them.
std::vector<std::string> namesOfChainOnly(const SourceRule& rule) {
  const auto& tokens = rule.source->tokens;
  const Statement& chain = (*rule.body)[rule.decision];
  std::vector<std::string> names;
  for (std::size_t i = chain.begin; i < chain.end; ++i) {
    const std::string& name = tokens[i].text;
    if (tokens[i].kind != TokenKind::identifier || std::ranges::find(names, name) != names.end() ||
        !declares(rule, name)) {
      continue;
    }
    int uses = 0;
    for (std::size_t at = rule.sizes.bodyBegin; at < rule.sizes.bodyEnd; ++at) {
      const bool outside = at < chain.begin || at >= chain.end;
      uses += outside && tokens[at].text == name ? 1 : 0;
    }
    if (uses == 1) {
      names.push_back(name);
    }
  }
  return names;
}

/// Inserts the fixed limit before the code and disables the code.
void addFixedEdits(const SourceRule& rule, std::int64_t limit, std::vector<Edit>& edits) {
  const Source& source = *rule.source;
  const bool chain = !rule.limit;
  const std::size_t before =
      chain ? (*rule.body)[rule.declaration].end - 1 : rule.limit->bodyBegin - 1;
  const std::size_t last = chain ? (*rule.body)[rule.decision].end - 1 : rule.limit->bodyEnd - 1;
  const std::size_t begin = source.tokens[before].end;
  const std::size_t end = source.tokens[last].end;
  const std::string_view lineEnd = lineEndAt(source.text, begin);
  const std::string indent =
      chain ? indentAt(source.text, source.tokens[(*rule.body)[rule.declaration].begin].begin)
            : "  ";
  std::string text;
  for (const std::string& name : chain ? namesOfChainOnly(rule) : rule.limitParameters) {
    text += fmt::format("{}{}(void){};", lineEnd, indent, name);
  }
  text +=
      fmt::format("{}{}{} {};", lineEnd, indent, chain ? "limitParallelLoops =" : "return", limit);
  text += fmt::format("{}#if 0  // hone: original code, disabled while a fixed limit is measured{}",
                      lineEnd, restOfLineIsBlank(source.text, begin) ? "" : lineEnd);
  edits.push_back({{begin, begin}, std::move(text)});
  edits.push_back(
      {{end, end},
       fmt::format("{}#endif{}", lineEnd, restOfLineIsBlank(source.text, end) ? "" : lineEnd)});
  for (const ReturnCondition& condition : rule.conditions) {
    const std::size_t from = source.tokens[condition.begin].begin;
    const std::size_t to = source.tokens[condition.end - 1].end;
    edits.push_back({{from, from}, "false && ("});
    edits.push_back({{to, to}, ")"});
  }
}

/// Returns true if every operation gets the fixed limit.
bool hasFixedLimit(const SourceRule& rule, std::int64_t limit) {
  Random random(4);
  constexpr int kChecks = 100;
  for (int i = 0; i < kChecks; ++i) {
    const auto found = limitUnder(rule, randomReduction(random, rule.kind), i % 2 == 0);
    if (!found || *found != limit) {
      return false;
    }
  }
  return rule.disabled.size() == rule.conditions.size();
}

constexpr std::array<ReductionKind, 2> kKinds = {ReductionKind::convolution, ReductionKind::matmul};

}  // namespace

Result<std::string> withoutHeuristics(std::string_view text, const std::filesystem::path& file) {
  const Source source = HONE_TRY(readSource(text, file.string()));
  auto edits = HONE_TRY(makeRemoval(source));
  return edited(text, edits);
}

Result<std::string> withHeuristics(std::string_view text, const std::filesystem::path& file,
                                   std::span<const Heuristic> heuristics) {
  const std::string own = HONE_TRY(withoutHeuristics(text, file));
  const Source source = HONE_TRY(readSource(own, file.string()));
  std::vector<Edit> edits;
  std::vector<SourceRule> rules;
  for (const Heuristic& heuristic : heuristics) {
    if (std::ranges::count(heuristics, heuristic.kind, &Heuristic::kind) != 1) {
      return userError("expected one heuristic for {}, got two", model::nameOf(heuristic.kind));
    }
    HONE_CHECK(checkValues(heuristic));
    rules.push_back(HONE_TRY(editableRule(source, heuristic.kind)));
    if (rules.back().form != heuristic.form) {
      return userError(
          "{}: code for {} has form '{}', but the heuristic is for form '{}'; derive a heuristic "
          "for this form",
          source.file, model::nameOf(heuristic.kind), nameOf(rules.back().form),
          nameOf(heuristic.form));
    }
    HONE_CHECK(addHeuristic(rules.back(), heuristic, edits));
  }
  std::string changed = edited(own, edits);
  const Source again = HONE_TRY(readSource(changed, file.string()));
  for (std::size_t i = 0; i < heuristics.size(); ++i) {
    const auto back = readRule(again, heuristics[i].kind);
    if (!back) {
      return notReadBack(source);
    }
    HONE_CHECK(checkHeuristic(rules[i], *back, heuristics[i]));
  }
  if (!sameOutside(own, changed, edits)) {
    return notReadBack(source);
  }
  return changed;
}

Result<std::string> withFixedLimit(std::string_view text, const std::filesystem::path& file,
                                   std::int64_t limit) {
  if (limit < 1) {
    return userError("invalid limit {}: must be at least 1", limit);
  }
  const Source source = HONE_TRY(readSource(text, file.string()));
  std::vector<Edit> edits;
  std::vector<SourceRule> before;
  for (const ReductionKind kind : kKinds) {
    before.push_back(HONE_TRY(editableRule(source, kind)));
    addFixedEdits(before.back(), limit, edits);
  }
  std::string changed = edited(text, edits);
  const Source again = HONE_TRY(readSource(changed, file.string()));
  for (const SourceRule& was : before) {
    const auto now = readRule(again, was.kind);
    if (!now || now->conditions.size() != was.conditions.size() || !hasFixedLimit(*now, limit)) {
      return notReadBack(source);
    }
  }
  if (!sameOutside(text, changed, edits)) {
    return notReadBack(source);
  }
  return changed;
}

}  // namespace hone::split
