#include "split/source/source.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "base/text/text.h"

namespace hone::split {
namespace {

std::unexpected<Error> describe(const Source& source, const cpp_source::Unterminated& open) {
  using Kind = cpp_source::Unterminated::Kind;
  const std::string_view what = open.kind == Kind::comment   ? "comment"
                                : open.kind == Kind::literal ? "literal"
                                                             : "raw literal";
  return source.error(open.line, "unterminated {}", what);
}

/// Returns the index after the `#endif` of the `#if 0` at `at`; nullopt if it has an `#else`.
std::optional<std::size_t> endOfDisabled(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].kind != TokenKind::directive) {
      continue;
    }
    const std::string directive = parseDirective(tokens[at]);
    if (directive.starts_with("endif") && --depth == 0) {
      return at + 1;
    }
    if (directive.starts_with("if")) {
      ++depth;
    } else if (directive.starts_with("el") && depth == 1) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<Token> withoutDisabled(const std::vector<Token>& tokens) {
  std::vector<Token> kept;
  for (std::size_t at = 0; at < tokens.size();) {
    std::optional<std::size_t> end;
    if (tokens[at].kind == TokenKind::directive && parseDirective(tokens[at]) == "if0") {
      end = endOfDisabled(tokens, at);
    }
    if (end) {
      at = *end;
    } else {
      kept.push_back(tokens[at++]);
    }
  }
  return kept;
}

Result<void> matchBrackets(Source& source) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    const Token& token = source.tokens[i];
    source.partners.push_back(i);
    if (token.kind != TokenKind::punctuator || token.text.size() != 1) {
      continue;
    }
    if (std::string_view("([{").contains(token.text[0])) {
      open.push_back(i);
      continue;
    }
    const std::size_t which = std::string_view(")]}").find(token.text[0]);
    if (which == std::string_view::npos) {
      continue;
    }
    if (open.empty()) {
      return source.error(token.line, "unmatched '{}'", token.text);
    }
    const Token& opening = source.tokens[open.back()];
    if (opening.text[0] != "([{"[which]) {
      return source.error(token.line, "'{}' does not match the '{}' of line {}", token.text,
                          opening.text, opening.line);
    }
    source.partners[i] = open.back();
    source.partners[open.back()] = i;
    open.pop_back();
  }
  if (!open.empty()) {
    const Token& token = source.tokens[open.back()];
    return source.error(token.line, "unmatched '{}'", token.text);
  }
  return {};
}

/// Parses a plain decimal integer, the only form that hone writes.
std::optional<std::int64_t> parseInteger(const Token& token) {
  const bool plain =
      token.kind == TokenKind::number && (token.text.size() == 1 || token.text[0] != '0');
  return plain ? parseInt(token.text) : std::nullopt;
}

}  // namespace

Result<Source> readSource(std::string_view text, std::string file) {
  cpp_source::LexedText lexed = cpp_source::lex(text);
  std::erase_if(lexed.tokens, &Token::inDirective);
  Source source{.file = std::move(file), .text = text, .tokens = {}, .partners = {}};
  if (lexed.unterminated) {
    return describe(source, *lexed.unterminated);
  }
  source.tokens = withoutDisabled(lexed.tokens);
  HONE_CHECK(matchBrackets(source));
  return source;
}

std::string parseDirective(const Token& token) {
  std::string text = token.text.substr(1);
  std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  return text;
}

bool matches(std::span<const Token> tokens, std::size_t at,
             std::initializer_list<std::string_view> texts) {
  return at <= tokens.size() && texts.size() <= tokens.size() - at &&
         std::ranges::equal(tokens.subspan(at, texts.size()), texts, {}, &Token::text);
}

std::optional<std::int64_t> readProduct(std::span<const Token> tokens, std::size_t& at) {
  std::optional<std::int64_t> product;
  while (true) {
    const auto factor = at < tokens.size() ? parseInteger(tokens[at]) : std::nullopt;
    if (!factor) {
      return std::nullopt;
    }
    std::int64_t next = *factor;
    if (product && __builtin_mul_overflow(*product, *factor, &next)) {
      return std::nullopt;
    }
    // The product of two int literals is an int in C++.
    constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();
    if (product && *product <= kMaxInt && *factor <= kMaxInt && next > kMaxInt) {
      return std::nullopt;
    }
    product = next;
    if (++at >= tokens.size() || tokens[at].text != "*") {
      return product;
    }
    ++at;
  }
}

}  // namespace hone::split
