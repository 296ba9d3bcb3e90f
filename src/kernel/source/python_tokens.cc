#include "kernel/source/python_tokens.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace hone::kernel {
namespace {

using Kind = PythonToken::Kind;

bool startsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continuesName(char c) { return startsName(c) || isDigit(c); }

class PythonScanner {
 public:
  explicit PythonScanner(std::string_view text) : text_(text) {}

  std::vector<PythonToken> all() {
    while (!atEnd()) {
      next();
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool sees(std::string_view word) const {
    return text_.substr(at_).starts_with(word);
  }
  void skip(std::size_t count = 1) {
    for (; count > 0 && !atEnd(); --count) {
      line_ += text_[at_] == '\n' ? 1 : 0;
      ++at_;
    }
  }
  template <typename Belongs>
  std::string take(Belongs belongs) {
    const std::size_t begin = at_;
    while (!atEnd() && belongs(peek())) {
      skip();
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  void add(Kind kind, std::string text, int line) {
    tokens_.push_back({kind, std::move(text), line, -1});
  }
  void takeName() {
    const int line = line_;
    add(Kind::name, take(continuesName), line);
  }
  void takeSymbol() {
    const int line = line_;
    const std::string symbol(1, peek());
    skip();
    add(Kind::symbol, symbol, line);
  }
  /// Takes the text up to and including `end`; a backslash escapes the next character.
  std::string takeUntil(std::string_view end, bool oneLine) {
    const std::size_t begin = at_;
    while (!atEnd() && !sees(end) && (!oneLine || peek() != '\n')) {
      skip(peek() == '\\' ? 2 : 1);
    }
    std::string inside(text_.substr(begin, std::min(at_, text_.size()) - begin));
    skip(sees(end) ? end.size() : 0);
    return inside;
  }

  void next() {
    const char c = peek();
    if (c == '\n') {
      skip();
      statementBegins_ = statementBegins_ || depth_ == 0;
      indent_ = statementBegins_ ? 0 : indent_;
      return;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      indent_ += statementBegins_ ? 1 : 0;
      skip();
      return;
    }
    if (sees("\\\n")) {
      skip(2);
      return;
    }
    if (c == '#') {
      take([](char d) { return d != '\n'; });
      return;
    }
    const std::size_t before = tokens_.size();
    const bool first = std::exchange(statementBegins_, false);
    takeToken();
    if (first && tokens_.size() > before) {
      tokens_[before].indent = indent_;
    }
  }

  void takeToken() {
    const char c = peek();
    const int line = line_;
    if (startsName(c)) {
      takeName();
      const std::string word = tokens_.back().text;
      if ((peek() == '"' || peek() == '\'') && isPrefix(word)) {
        tokens_.pop_back();
        takeText(word);
      }
    } else if (isDigit(c)) {
      add(Kind::number, take([](char d) { return continuesName(d) || d == '.'; }), line);
    } else if (c == '"' || c == '\'') {
      takeText("");
    } else {
      depth_ += c == '(' || c == '[' || c == '{' ? 1 : 0;
      depth_ -= c == ')' || c == ']' || c == '}' ? 1 : 0;
      depth_ = std::max(depth_, 0);
      statementBegins_ = c == ';' && depth_ == 0;
      takeSymbol();
    }
  }

  static bool isPrefix(const std::string& word) {
    return word.size() <= 2 && word.find_first_not_of("rRbBfFuUtT") == std::string::npos;
  }
  void takeText(const std::string& prefix) {
    const int line = line_;
    const std::string quote(1, peek());
    const std::string triple = quote + quote + quote;
    const bool isTriple = sees(triple);
    skip(isTriple ? 3 : 1);
    const std::string& end = isTriple ? triple : quote;
    if (prefix.find_first_of("fFtT") == std::string::npos || nested_ == kMaxNested) {
      add(Kind::text, takeUntil(end, !isTriple), line);
      return;
    }
    const std::size_t begin = at_;
    const std::size_t index = tokens_.size();
    add(Kind::text, "", line);
    ++nested_;
    takeFormatted(end, !isTriple);
    --nested_;
    tokens_[index].text = text_.substr(begin, at_ - begin);
    skip(sees(end) ? end.size() : 0);
  }
  /// Takes the tokens of the code in a formatted literal, up to its end.
  void takeFormatted(std::string_view end, bool oneLine) {
    while (!atEnd() && !sees(end) && (!oneLine || peek() != '\n')) {
      if (sees("{{") || peek() == '\\') {
        skip(2);
      } else if (peek() == '{') {
        takeReplacement();
      } else {
        skip();
      }
    }
  }
  /// Takes "{expression:format}". Quotes in it begin literals, even those of the enclosing literal.
  void takeReplacement() {
    skip();
    const int outer = std::exchange(depth_, 1);
    while (!atEnd() && (depth_ != 1 || (peek() != '}' && peek() != ':'))) {
      next();
    }
    while (!atEnd() && peek() != '}') {  // the format
      if (peek() == '{') {
        takeReplacement();
      } else {
        skip();
      }
    }
    skip();
    depth_ = outer;
  }

  static constexpr int kMaxNested = 100;  ///< Python allows less
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<PythonToken> tokens_;
  int depth_ = 0;
  int nested_ = 0;  ///< enclosing formatted literals
  bool statementBegins_ = true;
  std::int64_t indent_ = 0;
};

}  // namespace

std::vector<PythonToken> pythonTokens(std::string_view text) {
  // Python also ends lines at "\r".
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      lines += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      lines += '\n';
    }
  }
  return PythonScanner(lines).all();
}

}  // namespace hone::kernel
