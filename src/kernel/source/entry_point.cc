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

/// Where the name `kernel` stands before a parenthesis; the size where it does not.
std::size_t findEntry(Tokens tokens) {
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at].text == "kernel" && tokens[at + 1].text == "(") {
      return at;
    }
  }
  return tokens.size();
}

/// "const float* __restrict__ A" is "const float *".
std::string typeOf(Tokens parameter) {
  std::vector<std::string> words;
  bool named = false;
  for (const Token& token : parameter) {
    constexpr std::array<std::string_view, 5> kLeftOut = {"std", "::", "restrict", "__restrict",
                                                          "__restrict__"};
    if (std::ranges::find(kLeftOut, token.text) == kLeftOut.end()) {
      words.push_back(token.text);
      named = token.kind == TokenKind::identifier && token.text != "const";
    }
  }
  // What is behind the type's own words is the name; int64_t alone is a type without one.
  if (named && words.size() > 1) {
    words.pop_back();
  }
  return join(words, " ");
}

/// The lines from the begin of the declaration to its parenthesis, as one.
std::string declarationOf(std::string_view code, Tokens tokens, std::size_t entry,
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
  return whole.substr(0, whole.find(')') + 1);  // npos + 1: the whole would be none
}

}  // namespace

std::optional<EntryPoint> entryPointOf(std::string_view code) {
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
      point.types.push_back(typeOf(tokens.subspan(first, at - first)));
      first = at + 1;
    }
  }
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    point.externC =
        point.externC || (tokens[at].text == "extern" && tokens[at + 1].text == "\"C\"");
  }
  point.declaration = declarationOf(code, tokens, entry, end);
  return point;
}

}  // namespace hone::kernel
