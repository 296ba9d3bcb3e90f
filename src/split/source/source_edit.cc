#include "split/source/source_edit.h"

#include <algorithm>
#include <array>

#include "split/source/cpp_code.h"
#include "split/source/source_form.h"

namespace hone::split {
namespace {

using model::ReductionKind;

/// A range of the text and its replacement; an empty range is an insertion.
struct Edit {
  TextRange place;
  std::string text;
};

std::string edited(std::string_view text, std::vector<Edit>& edits) {
  std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.place.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out.append(text.substr(at, edit.place.begin - at)).append(edit.text);
    at = edit.place.end;
  }
  return out.append(text.substr(at));
}

/// Returns true if `after` equals `before` outside the edits, which must be sorted.
bool sameOutside(std::string_view before, std::string_view after, std::span<const Edit> edits) {
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    const std::string_view kept = before.substr(at, edit.place.begin - at);
    if (edit.place.begin < at || !after.starts_with(kept) ||
        !after.substr(kept.size()).starts_with(edit.text)) {
      return false;
    }
    after.remove_prefix(kept.size() + edit.text.size());
    at = edit.place.end;
  }
  return after == before.substr(at);
}

/// Returns the line end of the line that contains the offset.
std::string_view lineEndAt(std::string_view text, std::size_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

/// Returns the indentation before the offset; "" if other text precedes it in its line.
std::string indentAt(std::string_view text, std::size_t offset) {
  const std::size_t line = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const std::string_view before = text.substr(begin, offset - std::min(begin, offset));
  return before.find_first_not_of(" \t") == std::string_view::npos ? std::string(before) : "";
}

bool restOfLineIsBlank(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset, text.find('\n', offset) - offset);
  return rest.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Returns lines `(void)name;` that suppress warnings about unused variables.
Result<std::vector<std::string>> voidLines(const Decision& decision,
                                           const std::vector<std::string>& code) {
  const std::string joined = fmt::format("{}", fmt::join(code, "\n"));
  const Source written = HONE_TRY(readSource(joined, "new code"));
  std::vector<std::string> lines;
  for (const std::string& name : decision.codeOnly) {
    if (std::ranges::find(written.tokens, name, &Token::text) == written.tokens.end()) {
      lines.push_back(fmt::format("  (void){};", name));
    }
  }
  return lines;
}

Result<void> checkHeuristic(const Heuristic& heuristic) {
  const EarlyReturns& returns = heuristic.returns;
  bool good = std::min({returns.largeParallel, returns.smallReduction, returns.ratio}) >= 0;
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
  return {};
}

Result<Decision> editable(const Source& source, ReductionKind kind) {
  Decision decision = HONE_TRY(decisionFor(source, kind));
  if (!decision.switchedOff.empty()) {
    return source.error(decision.switchedOff[0],
                        "this early return is disabled; revert the edit first, from "
                        "{}.hone-backup or with git",
                        source.file);
  }
  return decision;
}

/// Replaces the decision's code with the lines, which are written for an indentation of two blanks.
Edit codeEdit(const Source& source, const Decision& decision,
              const std::vector<std::string>& lines) {
  const bool chain = decision.form == SourceForm::chain;
  const Token& first = source.tokens[decision.codeBegin];
  const std::string_view lineEnd = lineEndAt(source.text, first.begin);
  const Token& close = source.tokens[decision.codeEnd];
  const std::string closing = indentAt(source.text, close.begin);
  const std::string indent = chain ? indentAt(source.text, first.begin) : closing + "  ";
  std::string text;
  for (const std::string& line : lines) {
    text.append(text.empty() && chain ? "" : fmt::format("{}{}", lineEnd, indent));
    text.append(line.substr(2));
  }
  if (chain) {
    return {{first.begin, source.tokens[decision.codeEnd - 1].end}, std::move(text)};
  }
  return {{source.tokens[decision.codeBegin - 1].end, close.begin},
          fmt::format("{}{}{}", text, lineEnd, closing)};
}

Result<void> addEdits(const Source& source, const Heuristic& heuristic, std::vector<Edit>& edits) {
  HONE_CHECK(checkHeuristic(heuristic));
  const Decision decision = HONE_TRY(editable(source, heuristic.kind));
  if (decision.form != heuristic.form) {
    return userError(
        "{}: code for {} has form '{}', but the heuristic is for form '{}'; derive a heuristic for "
        "this form",
        source.file, model::nameOf(heuristic.kind), nameOf(decision.form), nameOf(heuristic.form));
  }
  HONE_CHECK(checkFunction(source, decision));
  const auto wanted = listConstants(heuristic);
  const auto places = HONE_TRY(constantsIn(source, decision, wanted));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (places[i].constant.value != wanted[i].value) {
      edits.push_back({places[i].value, std::to_string(wanted[i].value)});
    }
  }
  std::vector<std::string> lines = ladderCode(heuristic);
  const auto voids = HONE_TRY(voidLines(decision, lines));
  lines.insert(lines.begin() + (decision.form == SourceForm::chain ? 1 : 0), voids.begin(),
               voids.end());
  edits.push_back(codeEdit(source, decision, lines));
  return {};
}

std::unexpected<Error> notReadBack(const Source& source) {
  return userError(
      "internal error: {}: edited text does not parse back to the same heuristic (please report "
      "it with the file)",
      source.file);
}

/// Inserts the fixed limit before the code and disables the code.
Result<void> addFixedEdits(const Source& source, const Decision& decision, std::int64_t limit,
                           std::vector<Edit>& edits) {
  const bool chain = decision.form == SourceForm::chain;
  const std::size_t before = chain ? decision.codeBegin + 2 : decision.codeBegin - 1;
  const std::size_t begin = source.tokens[before].end;
  const std::size_t end = source.tokens[decision.codeEnd - 1].end;
  const std::string_view lineEnd = lineEndAt(source.text, begin);
  const std::string indent =
      chain ? indentAt(source.text, source.tokens[decision.codeBegin].begin) : "  ";
  std::string text;
  for (const std::string& line : HONE_TRY(voidLines(decision, {}))) {
    text += fmt::format("{}{}{}", lineEnd, indent, line.substr(2));
  }
  text +=
      fmt::format("{}{}{} {};", lineEnd, indent, chain ? "limitParallelLoops =" : "return", limit);
  text += fmt::format("{}#if 0  // hone: original code, disabled while a fixed limit is measured{}",
                      lineEnd, restOfLineIsBlank(source.text, begin) ? "" : lineEnd);
  edits.push_back({{begin, begin}, std::move(text)});
  edits.push_back(
      {{end, end},
       fmt::format("{}#endif{}", lineEnd, restOfLineIsBlank(source.text, end) ? "" : lineEnd)});
  for (const TextRange& condition : decision.conditions) {
    edits.push_back({{condition.begin, condition.begin}, "false && ("});
    edits.push_back({{condition.end, condition.end}, ")"});
  }
  return {};
}

/// Returns true if the code only sets the fixed limit and every early return is disabled.
bool hasFixedLimit(const Source& source, const Decision& decision, std::int64_t limit) {
  const bool chain = decision.form == SourceForm::chain;
  auto code = decision.code(source);
  code = code.subspan(chain ? 3 : 0);
  while (matches(code, 0, {"(", "void", ")"})) {
    code = code.subspan(std::min<std::size_t>(5, code.size()));
  }
  const std::string value = std::to_string(limit);
  const bool fixed = chain
                         ? code.size() == 4 && matches(code, 0, {"limitParallelLoops", "=", value})
                         : code.size() == 3 && matches(code, 0, {"return", value});
  return fixed && decision.switchedOff.size() == decision.conditions.size();
}

constexpr std::array<ReductionKind, 2> kKinds = {ReductionKind::convolution, ReductionKind::matmul};

}  // namespace

Result<std::string> withHeuristics(std::string_view text, const std::filesystem::path& file,
                                   std::span<const Heuristic> heuristics) {
  const Source source = HONE_TRY(readSource(text, file.string()));
  std::vector<Edit> edits;
  for (const Heuristic& heuristic : heuristics) {
    if (std::ranges::count(heuristics, heuristic.kind, &Heuristic::kind) != 1) {
      return userError("expected one heuristic for {}, got two", model::nameOf(heuristic.kind));
    }
    HONE_CHECK(addEdits(source, heuristic, edits));
  }
  std::string changed = edited(text, edits);
  const Source again = HONE_TRY(readSource(changed, file.string()));
  for (const Heuristic& heuristic : heuristics) {
    const auto back = heuristicIn(again, heuristic.kind);
    if (!back || *back != heuristic) {
      return notReadBack(source);
    }
  }
  if (!sameOutside(text, changed, edits)) {
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
  std::vector<Decision> before;
  for (const ReductionKind kind : kKinds) {
    before.push_back(HONE_TRY(editable(source, kind)));
    HONE_CHECK(addFixedEdits(source, before.back(), limit, edits));
  }
  std::string changed = edited(text, edits);
  const Source again = HONE_TRY(readSource(changed, file.string()));
  for (const Decision& was : before) {
    const auto now = decisionFor(again, was.kind);
    if (!now || now->conditions.size() != was.conditions.size() ||
        !hasFixedLimit(again, *now, limit)) {
      return notReadBack(source);
    }
  }
  if (!sameOutside(text, changed, edits)) {
    return notReadBack(source);
  }
  return changed;
}

}  // namespace hone::split
