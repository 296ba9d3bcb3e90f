#include "cpp_source/lexer.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace hone::cpp_source {
namespace {

using Strings = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kPrefixes = {"u8", "u", "U", "L"};
constexpr std::array<std::string_view, 5> kRawPrefixes = {"R", "u8R", "uR", "UR", "LR"};
constexpr std::array<std::string_view, 4> kIncludes = {"include", "include_next", "import",
                                                       "embed"};
/// Longest first.
constexpr std::array<std::string_view, 31> kPunctuators = {
    "%:%:", "...", "<=>", "->*", "<<=", "::", "<=", ">=", "==", "!=", "&&",
    "||",   "->",  "<<",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",   "^=",  ".*",  "##",  "<:",  ":>", "<%", "%>", "%:"};

struct Digraph {
  std::string_view spelling;
  std::string_view meaning;
};
constexpr std::array<Digraph, 6> kDigraphs = {
    {{"%:%:", "##"}, {"%:", "#"}, {"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}}};

bool contains(Strings all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns true for identifier characters. Accepts '$', like g++, and bytes above 127 (UTF-8).
bool continuesIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

bool isBlank(char c) { return std::string_view(" \t\r\f\v\n").contains(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    moveTo(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  }

  LexedText run() {
    while (skipBlanks()) {
      readToken();
    }
    return std::move(out_);
  }

 private:
  // Position. It never points at a splice, so that everything but raw literals sees joined lines.

  [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }

  /// Returns the first offset from `at` without a splice, which is a backslash at a line end.
  [[nodiscard]] std::size_t skipSplices(std::size_t at) const {
    while (at < text_.size() && text_[at] == '\\') {
      const std::size_t end = text_.find_first_not_of(" \t\r\f\v", at + 1);
      if (end == std::string_view::npos || text_[end] != '\n') {
        break;
      }
      at = end + 1;
    }
    return at;
  }

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    std::size_t at = at_;
    for (; ahead > 0 && at < text_.size(); --ahead) {
      at = skipSplices(at + 1);
    }
    return at < text_.size() ? text_[at] : '\0';
  }

  [[nodiscard]] bool sees(std::string_view what) const {
    for (std::size_t i = 0; i < what.size(); ++i) {
      if (peek(i) != what[i]) {
        return false;
      }
    }
    return true;
  }

  /// Moves to offset `end` and past any splices there.
  void moveTo(std::size_t end) {
    lastEnd_ = std::min(end, text_.size());
    for (const std::size_t target = skipSplices(lastEnd_); at_ < target; ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        lineBegin_ = at_ + 1;
      }
    }
  }
  void skip(std::size_t characters = 1) {
    for (; characters > 0 && !atEnd(); --characters) {
      moveTo(at_ + 1);
    }
  }
  void take(Token& token, std::size_t characters = 1) {
    for (; characters > 0 && !atEnd(); --characters) {
      token.text += text_[at_];
      skip();
    }
  }

  void report(Unterminated::Kind kind, int line) {
    if (!out_.unterminated) {
      out_.unterminated = {.kind = kind, .line = line};
    }
  }

  /// Moves to the next token; returns false at the end. A line end terminates a directive.
  bool skipBlanks() {
    while (!atEnd()) {
      if (sees("//")) {
        while (!atEnd() && peek() != '\n') {
          skip();
        }
        blanks_ += ' ';
      } else if (sees("/*")) {
        skipComment();
        blanks_ += ' ';
      } else if (isBlank(peek())) {
        if (peek() == '\n') {
          lineBegins_ = true;
          directive_.reset();
        }
        blanks_ += peek();
        skip();
      } else {
        return true;
      }
    }
    return false;
  }

  void skipComment() {
    const int line = line_;
    skip(2);
    while (!atEnd() && !sees("*/")) {
      skip();
    }
    if (atEnd()) {
      report(Unterminated::Kind::comment, line);
    }
    skip(2);
  }

  void readToken() {
    Token token{.text = {},
                .begin = at_,
                .line = line_,
                .column = static_cast<int>(at_ - lineBegin_) + 1,
                .inDirective = directive_.has_value()};
    const bool first = std::exchange(lineBegins_, false);
    const bool isDirective =
        first && ((peek() == '#' && peek(1) != '#') || (sees("%:") && !sees("%:%:")));
    if (isDirective) {
      token.kind = TokenKind::directive;
      token.text = "#";
      skip(peek() == '#' ? 1 : 2);
    } else {
      readInto(token);
    }
    token.end = lastEnd_;
    if (directive_) {
      Token& directive = out_.tokens[*directive_];
      directive.text += blanks_ + token.text;
      directive.end = token.end;
    }
    blanks_.clear();
    out_.tokens.push_back(std::move(token));
    if (isDirective) {
      directive_ = out_.tokens.size() - 1;
    }
  }

  void readInto(Token& token) {
    const char c = peek();
    if (namesHeader() && (c == '"' || c == '<')) {
      readHeader(token);
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      readNumber(token);
    } else if (continuesIdentifier(c)) {
      readWord(token);
    } else if (c == '"' || c == '\'') {
      readQuoted(token);
    } else {
      readPunctuator(token);
    }
  }

  /// Returns true directly after the `include` of a directive.
  [[nodiscard]] bool namesHeader() const {
    return directive_ && out_.tokens.size() == *directive_ + 2 &&
           contains(kIncludes, out_.tokens.back().text);
  }

  /// Reads a header name, which contains neither escapes nor comments.
  void readHeader(Token& token) {
    const char close = peek() == '<' ? '>' : '"';
    token.kind = TokenKind::header;
    do {
      take(token);
    } while (!atEnd() && peek() != close && peek() != '\n');
    if (peek() == close) {
      take(token);
    }
  }

  void readNumber(Token& token) {
    token.kind = TokenKind::number;
    take(token);
    while (!atEnd()) {
      const char c = peek();
      const bool isSign =
          (c == '+' || c == '-') && std::string_view("eEpP").contains(token.text.back());
      if (continuesIdentifier(c) || c == '.' || isSign) {
        take(token);
      } else if (c == '\'' && continuesIdentifier(peek(1))) {
        take(token, 2);
      } else {
        break;
      }
    }
  }

  /// Reads an identifier or a literal with a prefix.
  void readWord(Token& token) {
    const bool isSuffix = followsLiteral();
    token.kind = TokenKind::identifier;
    while (!atEnd() && continuesIdentifier(peek())) {
      take(token);
    }
    if (isSuffix) {
      return;
    }
    if (peek() == '"' && contains(kRawPrefixes, token.text)) {
      readRaw(token);
    } else if ((peek() == '"' || peek() == '\'') && contains(kPrefixes, token.text)) {
      readQuoted(token);
    }
  }

  /// Returns true if a literal ends at the position.
  [[nodiscard]] bool followsLiteral() const {
    if (out_.tokens.empty() || !blanks_.empty()) {
      return false;
    }
    const TokenKind last = out_.tokens.back().kind;
    return last == TokenKind::string || last == TokenKind::character;
  }

  void readQuoted(Token& token) {
    const char quote = peek();
    token.kind = quote == '"' ? TokenKind::string : TokenKind::character;
    take(token);
    while (!atEnd() && peek() != quote && peek() != '\n') {
      take(token, peek() == '\\' && peek(1) != '\n' ? 2 : 1);
    }
    if (!atEnd() && peek() == quote) {
      take(token);
    } else if (!directive_) {  // "#error don't" is not a literal
      report(Unterminated::Kind::literal, token.line);
    }
  }

  /// Reads a raw literal, in which lines are not joined.
  void readRaw(Token& token) {
    constexpr std::size_t kMaxDelimiterLength = 16;
    const std::size_t quote = at_;
    const std::size_t open =
        std::min(text_.find_first_of("( )\\\t\v\f\r\n", quote + 1), text_.size());
    if (open == text_.size() || text_[open] != '(' || open - quote - 1 > kMaxDelimiterLength) {
      report(Unterminated::Kind::rawLiteral, token.line);
      readQuoted(token);
      return;
    }
    token.kind = TokenKind::string;
    std::string close(")");
    close.append(text_.substr(quote + 1, open - quote - 1)).append("\"");
    std::size_t end = text_.find(close, open);
    if (end == std::string_view::npos) {
      report(Unterminated::Kind::rawLiteral, token.line);
      end = text_.size();
    }
    end = std::min(end + close.size(), text_.size());
    token.text.append(text_.substr(quote, end - quote));
    moveTo(end);
  }

  void readPunctuator(Token& token) {
    token.kind = TokenKind::punctuator;
    // "<::" is '<' and "::" unless ':' or '>' follows.
    const bool isTemplate = sees("<::") && peek(3) != ':' && peek(3) != '>';
    const auto* const found = std::ranges::find_if(
        kPunctuators, [&](std::string_view mark) { return !isTemplate && sees(mark); });
    take(token, found != kPunctuators.end() ? found->size() : 1);
    const auto* const digraph = std::ranges::find(kDigraphs, token.text, &Digraph::spelling);
    if (digraph != kDigraphs.end()) {
      token.text = digraph->meaning;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t lastEnd_ = 0;  ///< end of the last consumed character
  std::size_t lineBegin_ = 0;
  int line_ = 1;
  bool lineBegins_ = true;                ///< no token on this line yet
  std::optional<std::size_t> directive_;  ///< current directive
  std::string blanks_;                    ///< blanks since the last token
  LexedText out_;
};

}  // namespace

LexedText lex(std::string_view text) { return Lexer(text).run(); }

std::string_view literalBody(const Token& token) {
  const std::string_view text = token.text;
  const std::size_t quote = text.find_first_of("\"'");
  if (quote == std::string_view::npos) {
    return {};
  }
  std::string_view body = text.substr(quote + 1);
  std::string close(1, text[quote]);
  const std::size_t open = body.find('(');
  if (quote > 0 && text[quote - 1] == 'R' && open != std::string_view::npos) {
    close.insert(0, body.substr(0, open)).insert(0, ")");
    body.remove_prefix(open + 1);
  }
  body.remove_suffix(body.ends_with(close) ? close.size() : 0);
  return body;
}

}  // namespace hone::cpp_source
