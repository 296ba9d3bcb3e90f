#include "kernel/source/canonical_cpp.h"

#include <algorithm>

#include "cpp_source/lexer.h"

namespace hone::kernel {
namespace {

using cpp_source::Token;
using cpp_source::TokenKind;

bool isRaw(const Token& token) {
  const std::size_t quote = token.text.find('"');
  return token.kind == TokenKind::string && quote != std::string::npos && quote > 0 &&
         token.text[quote - 1] == 'R';
}

/// Returns an ordinary literal with the value of a raw one.
std::string plainLiteral(const Token& token) {
  std::string text = token.text.substr(0, token.text.find('R')) + "\"";
  for (const char c : cpp_source::literalBody(token)) {
    switch (c) {
      case '\\':
      case '"':
        text += '\\';
        text += c;
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      default:
        text += c;
    }
  }
  return text + "\"";
}

/// Breaks up trigraphs in a literal.
std::string withoutTrigraphs(const std::string& literal) {
  std::string text;
  for (const char c : literal) {
    if (c == '?' && text.ends_with('?')) {
      text += '\\';
    }
    text += c;
  }
  return text;
}

/// Returns true for a literal that the line ends before its closing quote.
bool isUnterminated(const Token& token) {
  const char quote = token.kind == TokenKind::string ? '"' : '\'';
  std::size_t at = token.text.find(quote) + 1;
  while (at < token.text.size() && token.text[at] != quote) {
    at += token.text[at] == '\\' ? 2 : 1;
  }
  return at >= token.text.size();
}

std::string spell(const Token& token) {
  switch (token.kind) {
    case TokenKind::directive:
      return "#";
    case TokenKind::number: {
      std::string digits = token.text;
      std::erase(digits, '\'');
      return digits;
    }
    case TokenKind::string:
      if (isRaw(token)) {
        return withoutTrigraphs(plainLiteral(token));
      }
      return isUnterminated(token) ? "\"" : withoutTrigraphs(token.text);
    case TokenKind::character:
      return isUnterminated(token) ? "'" : withoutTrigraphs(token.text);
    default:
      return token.text;
  }
}

/// Returns true for #line and for a line marker (# 12 "file").
bool namesPosition(const Token* directive, const Token* end) {
  const Token* first = directive + 1;
  return first != end && first->inDirective &&
         (first->text == "line" || first->kind == TokenKind::number);
}

class CanonicalWriter {
 public:
  explicit CanonicalWriter(std::string_view source) : source_(source) {}

  void add(const Token& token) {
    // A suffix must follow its literal, a '#' outside of a directive must not begin a line, and a
    // directive is one line.
    const bool joins = (token.begin == end_ && !text_.empty()) || token.inDirective ||
                       (token.kind == TokenKind::punctuator && token.text == "#");
    if (line_ < token.line && !joins) {
      text_.append(static_cast<std::size_t>(token.line - line_), '\n');
      line_ = token.line;
    } else if (hasBlankBefore(token) || glues(token)) {
      text_ += ' ';
    }
    // A stray backslash could join two lines; only one that starts a character name is kept.
    const bool stray = token.kind == TokenKind::punctuator && token.text == "\\" &&
                       !std::string_view("uUN").contains(source_.substr(token.end, 1));
    text_ += stray ? "@" : spell(token);
    end_ = token.kind == TokenKind::directive ? token.begin + 1 : token.end;
  }

  std::string finish() { return std::move(text_) + "\n"; }

 private:
  /// Returns true if blanks or a comment, not only line splices, precede the token.
  [[nodiscard]] bool hasBlankBefore(const Token& token) const {
    if (token.begin <= end_) {
      return false;
    }
    std::string_view gap = source_.substr(end_, token.begin - end_);
    while (gap.starts_with('\\')) {
      const std::size_t end = gap.find('\n');
      gap.remove_prefix(end == std::string_view::npos ? gap.size() : end + 1);
    }
    return !gap.empty();
  }

  /// Returns true if the token would form a comment or a trigraph with the text before it.
  [[nodiscard]] bool glues(const Token& token) const {
    const bool comment =
        text_.ends_with('/') && (token.text.starts_with('/') || token.text.starts_with('*'));
    return comment || (text_.ends_with('?') && token.text.starts_with('?'));
  }

  std::string_view source_;
  std::string text_;
  int line_ = 1;
  std::size_t end_ = 0;  ///< of the last token in the source
};

}  // namespace

std::string canonicalCpp(std::string_view text) {
  const std::vector<Token> tokens = cpp_source::lex(text).tokens;
  CanonicalWriter writer(text);
  bool dropped = false;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::directive) {
      dropped = namesPosition(&token, tokens.data() + tokens.size());
    }
    if (!dropped || (token.kind != TokenKind::directive && !token.inDirective)) {
      dropped = false;
      writer.add(token);
    }
  }
  return writer.finish();
}

}  // namespace hone::kernel
