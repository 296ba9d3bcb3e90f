#include "iree/spec/upgrade/spec_source.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "base/text/text.h"
#include "iree/mlir/mlir_scan.h"
#include "iree/mlir/mlir_text.h"
#include "iree/spec/spec_file.h"

namespace hone::iree {
namespace {

constexpr std::string_view kSequenceWord = "transform.named_sequence";
constexpr std::string_view kMatchWord = "transform.foreach_match";
/// Aliases of aliases could grow exponentially.
constexpr std::size_t kMaxExpanded = std::size_t{16} << 20U;

/// Reads "@name" or "@\"na me\"" at `at` and moves behind it; returns "" if there is none.
std::string readSymbol(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '@') {
    return "";
  }
  const std::size_t begin = at++;
  if (at < text.size() && text[at] == '"') {
    at = nextPosition(text, at);
  } else {
    while (at < text.size() && !text.substr(at).starts_with("->") &&
           (isWordCharacter(text[at]) || std::string_view("$.-").contains(text[at]))) {
      ++at;
    }
  }
  return parseSymbol(std::string(text.substr(begin, at - begin)));
}

/// Returns the position after "-> type" or "-> (types)" at `at`.
std::size_t skipResultTypes(std::string_view text, std::size_t at) {
  at = skipBlanks(text, at + 2);
  if (at < text.size() && text[at] == '(') {
    return closingPosition(text, at);
  }
  while (at < text.size() && (isWordCharacter(text[at]) || text[at] == '!' || text[at] == '.')) {
    ++at;
  }
  return at < text.size() && text[at] == '<' ? closingPosition(text, at) : at;
}

/// Returns the end of the sequence whose parameters start at `at`; npos if it is not closed.
std::size_t sequenceEnd(std::string_view text, std::size_t at) {
  at = skipBlanks(text, at);
  if (at >= text.size() || text[at] != '(') {
    return kNoPosition;
  }
  at = closingPosition(text, at);
  while (at != kNoPosition) {
    at = skipBlanks(text, at);
    if (text.substr(std::min(at, text.size())).starts_with("->")) {
      at = skipResultTypes(text, at);
    } else if (text.substr(std::min(at, text.size())).starts_with("attributes")) {
      at = skipBlanks(text, at + std::string_view("attributes").size());
      at = at < text.size() && text[at] == '{' ? closingPosition(text, at) : kNoPosition;
    } else {
      return at < text.size() && text[at] == '{' ? closingPosition(text, at) : kNoPosition;
    }
  }
  return kNoPosition;
}

/// Returns the attribute aliases of a file: "#map" with its definition.
std::vector<std::pair<std::string, std::string>> aliasesIn(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> aliases;
  for (std::size_t i = skipBlanks(text, 0); i < text.size() && (text[i] == '#' || text[i] == '!');
       i = skipBlanks(text, i)) {
    const std::size_t equals = text.find('=', i);
    if (equals == kNoPosition) {
      break;
    }
    std::size_t end = skipBlanks(text, equals + 1);
    const std::size_t begin = end;
    while (end < text.size() && text[end] != '\n') {
      const bool opens = std::string_view("([{<").contains(text[end]);
      end = opens ? closingPosition(text, end) : nextPosition(text, end);
      if (end == kNoPosition) {
        return aliases;
      }
    }
    aliases.emplace_back(trim(text.substr(i, equals - i)), trim(text.substr(begin, end - begin)));
    i = end;
  }
  return aliases;
}

std::string expandAliases(std::string text,
                          const std::vector<std::pair<std::string, std::string>>& aliases) {
  // Later aliases may refer to earlier ones.
  for (const auto& [name, value] : std::views::reverse(aliases)) {
    for (auto at = findWord(text, name); at != kNoPosition && text.size() < kMaxExpanded;
         at = findWord(text, name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

/// Adds the pairs of the foreach_match operations in a sequence.
void addPairs(std::string_view text, std::vector<SourcePair>& pairs) {
  for (auto at = findWord(text, kMatchWord); at != kNoPosition;
       at = findWord(text, kMatchWord, at)) {
    at += kMatchWord.size();
    while (at < text.size() && text[at] != ':' && text[at] != '}') {
      if (text[at] == '{') {  // options
        const std::size_t end = closingPosition(text, at);
        at = end == kNoPosition ? text.size() : end;
        continue;
      }
      if (text[at] != '@') {
        at = nextPosition(text, at);
        continue;
      }
      std::string matcher = readSymbol(text, at);
      at = skipBlanks(text, at);
      if (!text.substr(std::min(at, text.size())).starts_with("->")) {
        continue;
      }
      at = skipBlanks(text, at + 2);
      pairs.push_back({std::move(matcher), readSymbol(text, at)});
    }
  }
}

}  // namespace

const SourceSequence* SpecSource::find(std::string_view name) const {
  const auto found = std::ranges::find(sequences, name, &SourceSequence::name);
  return found == sequences.end() ? nullptr : &*found;
}

std::vector<std::string> symbolsIn(std::string_view text) {
  std::vector<std::string> symbols;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '@') {
      symbols.push_back(readSymbol(text, i));
    } else {
      i = nextPosition(text, i);
    }
  }
  return symbols;
}

std::vector<SourceConstant> constantsIn(std::string_view text) {
  constexpr std::string_view kWord = "transform.param.constant";
  std::vector<SourceConstant> constants;
  for (auto at = findWord(text, kWord); at != kNoPosition; at = findWord(text, kWord, at)) {
    at = skipBlanks(text, at + kWord.size());
    const std::size_t begin = at;
    while (at < text.size() && !text.substr(at).starts_with("->")) {
      const bool opens = std::string_view("([{<").contains(text[at]);
      const std::size_t next = opens ? closingPosition(text, at) : nextPosition(text, at);
      at = next == kNoPosition ? text.size() : next;
    }
    const std::string_view value = trim(text.substr(begin, at - begin));
    constants.push_back({begin, begin + value.size(), std::string(value)});
  }
  return constants;
}

Result<SpecSource> parseSpecSource(std::string_view text) {
  const auto aliases = aliasesIn(text);
  const auto comments = commentsIn(text);
  SpecSource source;
  for (auto at = findWord(text, kSequenceWord); at != kNoPosition;
       at = findWord(text, kSequenceWord, at)) {
    std::size_t name = text.find('@', at);
    const std::size_t begin = at;
    SourceSequence sequence;
    sequence.name = name == kNoPosition ? "" : readSymbol(text, name);
    at = sequence.name.empty() ? kNoPosition : sequenceEnd(text, name);
    if (at == kNoPosition) {
      return userError("line {}: this transform.named_sequence has no end; check its brackets",
                       1 + std::ranges::count(text.substr(0, begin), '\n'));
    }
    if (source.find(sequence.name) != nullptr) {
      return userError("two sequences are named @{}; linked specs must be upgraded one by one",
                       sequence.name);
    }
    const auto comment = comments.find(sequence.name);
    sequence.comment = comment == comments.end() ? "" : comment->second;
    sequence.text = expandAliases(std::string(text.substr(begin, at - begin)), aliases);
    addPairs(sequence.text, source.pairs);
    source.sequences.push_back(std::move(sequence));
  }
  if (source.sequences.empty() || source.pairs.empty()) {
    return userError("not a tuning spec: it has no {}; see docs/specs.md for the format",
                     source.sequences.empty() ? "transform.named_sequence"
                                              : "transform.foreach_match with a matcher");
  }
  return source;
}

}  // namespace hone::iree
