#include "kernel/source/source_tokens.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <utility>

namespace hone::kernel {
namespace {

using Kind = Token::Kind;

bool startsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continuesName(char c) { return startsName(c) || isDigit(c); }

/// A C++ text whose lines that end with a backslash are joined to the next ones, as the compiler
/// does before it looks for anything.
struct Spliced {
  std::string text;
  std::vector<std::size_t> joints;  ///< where in it a line ended, in rising order
};

Spliced spliced(std::string_view text) {
  Spliced out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // g++ takes blanks between the backslash and the line's end for nothing.
    const std::size_t end = text[i] == '\\' ? text.find_first_not_of(" \t\r\f\v", i + 1) : 0;
    if (end > 0 && end < text.size() && text[end] == '\n') {
      out.joints.push_back(out.text.size());
      i = end;
    } else {
      out.text += text[i];
    }
  }
  return out;
}

/// What both languages share: a place in a text, and the tokens so far.
class Scanner {
 public:
  explicit Scanner(std::string_view text = {}, std::size_t line = 1) : text_(text), line_(line) {}

 protected:
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
      for (; joint_ < joints_.size() && joints_[joint_] <= at_; ++joint_) {
        ++line_;
      }
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
  void add(Kind kind, std::string text, std::size_t line) {
    tokens_.push_back({kind, std::move(text), line, -1});
  }
  void takeName() {
    const std::size_t line = line_;
    add(Kind::name, take(continuesName), line);
  }
  void takeSymbol() {
    const std::size_t line = line_;
    const std::string symbol(1, peek());
    skip();
    add(Kind::symbol, symbol, line);
  }
  /// Up to the end given, which is taken too; a backslash keeps the next character.
  std::string takeUntil(std::string_view end, bool escapes, bool oneLine) {
    const std::size_t begin = at_;
    while (!atEnd() && !sees(end) && (!oneLine || peek() != '\n')) {
      skip(escapes && peek() == '\\' ? 2 : 1);
    }
    std::string inside(text_.substr(begin, std::min(at_, text_.size()) - begin));
    skip(sees(end) ? end.size() : 0);
    return inside;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_;
  std::span<const std::size_t> joints_;  ///< where lines ended that are joined
  std::size_t joint_ = 0;                ///< the first that is not behind
  std::vector<Token> tokens_;
};

class CppScanner : public Scanner {
 public:
  explicit CppScanner(Spliced source) : source_(std::move(source)) {
    text_ = source_.text;
    joints_ = source_.joints;
  }

  std::vector<Token> all() {
    while (!atEnd()) {
      next();
    }
    return std::move(tokens_);
  }

 private:
  void next() {
    const char c = peek();
    const std::size_t line = line_;
    if (c == '\n') {
      skip();
      lineBegins_ = true;
      return;
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      skip();
      return;
    }
    if (sees("//")) {
      takeUntil("\n", false, false);
      lineBegins_ = true;
      return;
    }
    if (sees("/*")) {
      skip(2);
      takeUntil("*/", false, false);
      return;
    }
    const bool first = std::exchange(lineBegins_, false);
    if ((c == '#' || sees("%:")) && first) {
      takeDirective();
    } else if (sees("R\"")) {
      takeRawText();
    } else if (startsName(c)) {
      takeName();
      takeRawTextAfterPrefix();
    } else if (isDigit(c)) {
      add(Kind::number, take([](char d) { return continuesName(d) || d == '.' || d == '\''; }),
          line);
    } else if (c == '"') {
      skip();
      add(Kind::text, takeUntil("\"", true, true), line);
    } else if (c == '\'') {
      skip();
      takeUntil("'", true, true);
    } else {
      takeSymbol();
    }
  }

  /// The words of a macro are code as well, so they are tokens behind the directive.
  void takeDirective() {
    const std::size_t line = line_;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    skip(sees("%:") ? 2 : 1);
    std::string whole(text_.substr(at_, end - at_));
    whole.insert(whole.begin(), '#');
    add(Kind::directive, std::move(whole), line);
    take([](char c) { return c == ' ' || c == '\t'; });
    if (!sees("define")) {
      skip(end - at_);
    }
  }
  void takeRawText() {
    const std::size_t line = line_;
    skip(2);
    const std::string delimiter = take([](char c) { return c != '(' && c != '\n'; });
    skip();
    // In such a text lines are not joined: an end with a joint inside is none.
    const std::string last = ")" + delimiter + "\"";
    const auto jointed = [&](std::size_t begin) {
      const auto inside = std::ranges::upper_bound(joints_, begin);
      return inside != joints_.end() && *inside < begin + last.size();
    };
    std::size_t end = text_.find(last, at_);
    while (end != std::string_view::npos && jointed(end)) {
      end = text_.find(last, end + 1);
    }
    end = std::min(end, text_.size());
    add(Kind::text, std::string(text_.substr(at_, end - at_)), line);
    skip(end - at_ + last.size());
  }
  void takeRawTextAfterPrefix() {
    const std::string& name = tokens_.back().text;
    if (peek() == '"' && (name == "u8R" || name == "uR" || name == "UR" || name == "LR")) {
      tokens_.pop_back();
      --at_;
      takeRawText();
    }
  }

  Spliced source_;
  bool lineBegins_ = true;
};

class PythonScanner : public Scanner {
 public:
  using Scanner::Scanner;

  std::vector<Token> all() {
    while (!atEnd()) {
      next();
    }
    return std::move(tokens_);
  }

 private:
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
    const std::size_t line = line_;
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
    return word.size() <= 2 && word.find_first_not_of("rRbBfFuU") == std::string::npos;
  }
  void takeText(const std::string& prefix) {
    const std::size_t line = line_;
    const std::string quote(1, peek());
    const std::string triple = quote + quote + quote;
    const bool isTriple = sees(triple);
    skip(isTriple ? 3 : 1);
    const std::string inside = takeUntil(isTriple ? triple : quote, true, !isTriple);
    add(Kind::text, inside, line);
    if (prefix.find_first_of("fF") != std::string::npos) {
      takeCodeIn(inside, line);
    }
  }
  void takeCodeIn(const std::string& text, std::size_t line) {
    std::size_t begin = text.find('{');
    while (begin != std::string::npos) {
      const std::size_t end = std::min(text.find('}', begin), text.size());
      auto inner =
          PythonScanner(std::string_view(text).substr(begin + 1, end - begin - 1), line).all();
      for (Token& token : inner) {
        token.indent = -1;
        tokens_.push_back(std::move(token));
      }
      begin = text.find('{', end);
    }
  }

  int depth_ = 0;
  bool statementBegins_ = true;
  std::int64_t indent_ = 0;
};

}  // namespace

std::vector<Token> cppTokens(std::string_view text) { return CppScanner(spliced(text)).all(); }
std::vector<Token> pythonTokens(std::string_view text) { return PythonScanner(text).all(); }

}  // namespace hone::kernel
