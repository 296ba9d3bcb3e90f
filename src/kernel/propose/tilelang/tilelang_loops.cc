#include "kernel/propose/tilelang/tilelang_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isWordCharacter(text[at - 1])) &&
        (end == text.size() || !isWordCharacter(text[end]))) {
      return true;
    }
  }
  return false;
}

struct Line {
  std::size_t begin = 0;  ///< of the first non-blank character
  std::size_t indent = 0;
  std::string_view text;  ///< trimmed
  int number = 0;
};

/// Returns the lines that are not blank.
std::vector<Line> nonBlankLines(std::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view whole = text.substr(at, end - at);
    ++number;
    if (const std::string_view kept = trim(whole); !kept.empty()) {
      const std::size_t indent = whole.find(kept);
      lines.push_back({at + indent, indent, kept, number});
    }
    at = end + 1;
  }
  return lines;
}

/// A loop header: "j in T.serial(columns)" of the line "for j in T.serial(columns):".
struct LoopHeader {
  std::string_view whole;
  std::string_view variable;
};

std::optional<LoopHeader> parseHeader(const Line& line) {
  constexpr std::string_view kFor = "for ";
  constexpr std::string_view kIn = " in T.serial(";
  const std::size_t in = line.text.find(kIn);
  if (!line.text.starts_with(kFor) || in == std::string_view::npos || !line.text.ends_with("):")) {
    return std::nullopt;
  }
  const std::string_view variable = line.text.substr(kFor.size(), in - kFor.size());
  const std::string_view bound =
      line.text.substr(in + kIn.size(), line.text.size() - in - kIn.size() - 2);
  if (!std::ranges::all_of(variable, isWordCharacter) || bound.contains(',')) {
    return std::nullopt;
  }
  return LoopHeader{line.text.substr(kFor.size(), line.text.size() - kFor.size() - 1), variable};
}

/// Returns true if an index in the text is contiguous along the outer variable but not along the
/// inner.
bool isStrided(std::string_view text, std::string_view inner, std::string_view outer) {
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    int depth = 0;
    std::size_t last = open + 1;  // start of the last index
    std::size_t end = open;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
      if (depth == 0) {
        break;
      }
      last = c == ',' && depth == 1 ? end + 1 : last;
    }
    const std::string_view along = text.substr(last, end - last);
    const std::string_view across = text.substr(open + 1, last - open - 1);
    if (mentions(across, inner) && !mentions(along, inner) && mentions(along, outer)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<LoopPair> loopPairs(std::string_view text) {
  const std::vector<Line> lines = nonBlankLines(text);
  std::vector<LoopPair> pairs;
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
    const Line& first = lines[i];
    const Line& second = lines[i + 1];
    const auto outer = parseHeader(first);
    const auto inner = parseHeader(second);
    if (!outer || !inner || second.indent <= first.indent ||
        mentions(inner->whole, outer->variable)) {
      continue;
    }
    const auto body = lines.begin() + static_cast<std::ptrdiff_t>(i) + 2;
    const auto end = std::find_if(body, lines.end(),
                                  [&](const Line& line) { return line.indent <= first.indent; });
    if (std::any_of(body, end, [&](const Line& line) { return line.indent <= second.indent; })) {
      continue;
    }
    const std::size_t stop = end == lines.end() ? text.size() : end->begin;
    const std::size_t close = second.begin + second.text.size();
    pairs.push_back(
        {first.begin, close - first.begin,
         fmt::format("for {}:\n{}for {}:", inner->whole, std::string(second.indent, ' '),
                     outer->whole),
         std::string(inner->variable), first.number,
         isStrided(text.substr(close, stop - close), inner->variable, outer->variable)});
  }
  return pairs;
}

}  // namespace hone::kernel
