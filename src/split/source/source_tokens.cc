#include "split/source/source_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include "base/text.h"

namespace hone::split {
namespace {

using Kind = Token::Kind;

/// Bytes above 127 are parts of words, as in UTF-8.
bool isIdentifierCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool isOneOf(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(Source& source) : source_(source), text_(source.text) {}

  Result<void> run() {
    while (HONE_TRY(skipBlanks())) {
      const std::size_t begin = at_;
      const int line = line_;
      const Kind kind = HONE_TRY(readToken());
      source_.tokens.push_back({kind, text_.substr(begin, at_ - begin), begin, line, 0});
      lineIsEmpty_ = false;
    }
    return {};
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool startsWith(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }
  void step() { line_ += text_[at_++] == '\n' ? 1 : 0; }
  void stepTo(std::size_t end) {
    while (at_ < end) {
      step();
    }
  }

  /// A backslash at the end of a line: the next line belongs to this one.
  bool skipSplice() {
    for (const std::string_view splice : {"\\\n", "\\\r\n"}) {
      if (startsWith(splice)) {
        stepTo(at_ + splice.size());
        return true;
      }
    }
    return false;
  }

  void skipLine() {
    while (at_ < text_.size() && peek() != '\n') {
      if (!skipSplice()) {
        step();
      }
    }
  }

  Result<void> skipComment() {
    if (startsWith("//")) {
      skipLine();
      return {};
    }
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) {
      return source_.error(line_, "the comment that begins here has no end");
    }
    stepTo(end + 2);
    return {};
  }

  /// To the next token; false at the end.
  Result<bool> skipBlanks() {
    while (at_ < text_.size()) {
      if (startsWith("//") || startsWith("/*")) {
        HONE_CHECK(skipComment());
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        lineIsEmpty_ = lineIsEmpty_ || peek() == '\n';
        step();
      } else if (!skipSplice()) {
        return true;
      }
    }
    return false;
  }

  Result<Kind> readToken() {
    const char first = peek();
    if (first == '#' && lineIsEmpty_) {
      HONE_CHECK(skipDirective());
      return Kind::directive;
    }
    if (isDigit(first) || (first == '.' && isDigit(peek(1)))) {
      skipNumber();
      return Kind::number;
    }
    if (isIdentifierCharacter(first)) {
      return readWord();
    }
    if (first == '"' || first == '\'') {
      HONE_CHECK(skipQuoted());
      return Kind::literal;
    }
    skipMark();
    return Kind::mark;
  }

  /// A preprocessor line, without the comment behind it.
  Result<void> skipDirective() {
    std::size_t end = at_;
    while (at_ < text_.size() && peek() != '\n') {
      if (startsWith("//") || startsWith("/*")) {
        HONE_CHECK(skipComment());
      } else if (!skipSplice()) {
        end = std::isspace(static_cast<unsigned char>(peek())) != 0 ? end : at_ + 1;
        step();
      }
    }
    // The line was counted to its end; what follows the last character is blank or a comment.
    line_ -= static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(end),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    at_ = end;
    return {};
  }

  void skipNumber() {
    while (
        isIdentifierCharacter(peek()) || peek() == '.' ||
        (peek() == '\'' && isIdentifierCharacter(peek(1))) ||
        ((peek() == '+' || peek() == '-') && std::string_view("eEpP").contains(text_[at_ - 1]))) {
      ++at_;
    }
  }

  /// A word, or a literal with a prefix.
  Result<Kind> readWord() {
    const std::size_t begin = at_;
    while (isIdentifierCharacter(peek())) {
      ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    constexpr std::array<std::string_view, 5> kRaw = {"R", "u8R", "uR", "UR", "LR"};
    constexpr std::array<std::string_view, 4> kPlain = {"u8", "u", "U", "L"};
    if (peek() == '"' && isOneOf(kRaw, word)) {
      HONE_CHECK(skipRaw());
      return Kind::literal;
    }
    if ((peek() == '"' || peek() == '\'') && isOneOf(kPlain, word)) {
      HONE_CHECK(skipQuoted());
      return Kind::literal;
    }
    return Kind::word;
  }

  Result<void> skipQuoted() {
    const int line = line_;
    const char quote = peek();
    for (++at_; at_ < text_.size() && peek() != quote && peek() != '\n';) {
      if (!skipSplice()) {
        at_ += peek() == '\\' ? 2 : 1;
      }
    }
    if (peek() != quote || at_ >= text_.size()) {
      return source_.error(line, "the literal that begins here has no end");
    }
    ++at_;
    return {};
  }

  Result<void> skipRaw() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      return source_.error(line_, "the raw literal that begins here has no '('");
    }
    const std::string close = fmt::format("){}\"", text_.substr(at_ + 1, open - at_ - 1));
    const std::size_t end = text_.find(close, open);
    if (end == std::string_view::npos) {
      return source_.error(line_, "the raw literal that begins here has no end");
    }
    stepTo(end + close.size());
    return {};
  }

  /// Without `>>`, which ends two lists of template arguments as often as it shifts.
  void skipMark() {
    constexpr std::array<std::string_view, 19> kPairs = {
        "::", "<=", ">=", "==", "!=", "&&", "||", "->", "<<", "++",
        "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    const bool pair =
        std::ranges::any_of(kPairs, [&](std::string_view mark) { return startsWith(mark); });
    stepTo(at_ + (pair ? 2 : 1));
  }

  Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool lineIsEmpty_ = true;
};

/// The index behind the `#endif` of the `#if 0` at `at`; nothing when it has an `#else`.
std::optional<std::size_t> endOfDisabled(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].kind != Kind::directive) {
      continue;
    }
    const std::string directive = directiveOf(tokens[at]);
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
    if (tokens[at].kind == Kind::directive && directiveOf(tokens[at]) == "if0") {
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
    Token& token = source.tokens[i];
    token.partner = i;
    if (token.kind != Kind::mark || token.text.size() != 1) {
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
      return source.error(token.line, "this '{}' closes nothing", token.text);
    }
    Token& opening = source.tokens[open.back()];
    if (opening.text[0] != "([{"[which]) {
      return source.error(token.line, "this '{}' does not close the '{}' of line {}", token.text,
                          opening.text, opening.line);
    }
    token.partner = open.back();
    opening.partner = i;
    open.pop_back();
  }
  if (!open.empty()) {
    const Token& token = source.tokens[open.back()];
    return source.error(token.line, "this '{}' is not closed", token.text);
  }
  return {};
}

/// A plain decimal integer: what hone writes, and what it need not guess about.
std::optional<std::int64_t> integerOf(const Token& token) {
  const bool plain = token.kind == Kind::number && (token.text.size() == 1 || token.text[0] != '0');
  return plain ? parseInt(token.text) : std::nullopt;
}

}  // namespace

Result<Source> readSource(std::string_view text, std::string file) {
  Source source{.file = std::move(file), .text = text, .tokens = {}};
  HONE_CHECK(Lexer(source).run());
  source.tokens = withoutDisabled(source.tokens);
  HONE_CHECK(matchBrackets(source));
  return source;
}

std::string directiveOf(const Token& token) {
  std::string text(token.text.substr(1));
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
    const auto factor = at < tokens.size() ? integerOf(tokens[at]) : std::nullopt;
    if (!factor) {
      return std::nullopt;
    }
    std::int64_t next = *factor;
    if (product && __builtin_mul_overflow(*product, *factor, &next)) {
      return std::nullopt;
    }
    // Two factors that fit into an int are multiplied as ints.
    constexpr std::int64_t kLargestInt = std::numeric_limits<int>::max();
    if (product && *product <= kLargestInt && *factor <= kLargestInt && next > kLargestInt) {
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
