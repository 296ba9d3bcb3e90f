#include "kernel/source/entry_point.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "base/text/text.h"
#include "kernel/source/cpp_tokens.h"

namespace hone::kernel {
namespace {

using cpp_source::Token;
using cpp_source::TokenKind;
using Tokens = std::span<const Token>;

/// Returns the index of the name `kernel` before a parenthesis; the number of tokens if there is
/// none.
std::size_t findEntry(Tokens tokens) {
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at].text == "kernel" && tokens[at + 1].text == "(") {
      return at;
    }
  }
  return tokens.size();
}

/// Returns "const float *" for "const float* __restrict__ A".
std::string parameterType(Tokens parameter) {
  std::vector<std::string> words;
  bool named = false;
  for (const Token& token : parameter) {
    constexpr std::array<std::string_view, 5> kSkipped = {"std", "::", "restrict", "__restrict",
                                                          "__restrict__"};
    if (std::ranges::find(kSkipped, token.text) == kSkipped.end()) {
      words.push_back(token.text);
      named = token.kind == TokenKind::identifier && token.text != "const";
    }
  }
  // The last identifier after the type is the name; a single int64_t is an unnamed parameter.
  if (named && words.size() > 1) {
    words.pop_back();
  }
  return join(words, " ");
}

/// Returns the lines of the declaration up to its closing parenthesis, joined.
std::string joinDeclaration(std::string_view code, Tokens tokens, std::size_t entry,
                            std::size_t close) {
  std::size_t begin = entry;
  while (begin > 0 && tokens[begin - 1].kind != TokenKind::directive &&
         tokens[begin - 1].text != ";" && tokens[begin - 1].text != "}") {
    --begin;
  }
  const auto lines = splitAt(code, '\n');
  std::vector<std::string> parts;
  const std::size_t last = std::min<std::size_t>(tokens[close].line, lines.size());
  for (std::size_t line = tokens[begin].line; line <= last; ++line) {
    parts.emplace_back(trim(lines[line - 1]));
  }
  const std::string whole = join(parts, " ");
  return whole.substr(0, whole.find(')') + 1);
}

}  // namespace

std::optional<EntryPoint> findEntryPoint(std::string_view code) {
  const std::vector<Token> all = kernelTokens(code);
  const Tokens tokens(all);
  const std::size_t entry = findEntry(tokens);
  const auto close = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(entry), all.end(),
                                  [](const Token& token) { return token.text == ")"; });
  if (close == all.end()) {
    return std::nullopt;
  }
  EntryPoint point;
  const auto end = static_cast<std::size_t>(close - all.begin());
  std::size_t first = entry + 2;
  for (std::size_t at = first; at <= end; ++at) {
    if (at == end || tokens[at].text == ",") {
      point.types.push_back(parameterType(tokens.subspan(first, at - first)));
      first = at + 1;
    }
  }
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    point.externC =
        point.externC || (tokens[at].text == "extern" && tokens[at + 1].text == "\"C\"");
  }
  point.declaration = joinDeclaration(code, tokens, entry, end);
  return point;
}

}  // namespace hone::kernel
