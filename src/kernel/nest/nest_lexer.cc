#include "kernel/nest/nest_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace hone::kernel::nest {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

constexpr std::array<std::string_view, 19> kLongMarks = {"::", "++", "--", "+=", "-=", "*=", "/=",
                                                         "%=", "<=", ">=", "==", "!=", "&&", "||",
                                                         "->", "<<", "|=", "&=", "^="};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> all() {
    std::vector<Token> tokens;
    while (true) {
      HONE_CHECK(skipBlanks());
      if (at_ >= text_.size()) {
        tokens.push_back({Token::Kind::end, {}, text_.size(), line_});
        return tokens;
      }
      tokens.push_back(HONE_TRY(next()));
    }
  }

 private:
  Result<void> skipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        ++line_;
        ++at_;
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("/*")) {
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) {
          return userError("line {}: a comment has no end", line_);
        }
        line_ +=
            static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                        text_.begin() + static_cast<std::ptrdiff_t>(close), '\n'));
        at_ = close + 2;
      } else {
        break;
      }
    }
    return {};
  }

  Result<Token> next() {
    const char c = text_[at_];
    if (c == '#') {
      return directive();
    }
    if (c == '"' || c == '\'') {
      return literal(c);
    }
    if (isDigit(c) || (c == '.' && at_ + 1 < text_.size() && isDigit(text_[at_ + 1]))) {
      return numberToken();
    }
    if (isWordCharacter(c)) {
      std::size_t end = at_;
      while (end < text_.size() && isWordCharacter(text_[end])) {
        ++end;
      }
      return take(Token::Kind::word, end);
    }
    const std::string_view two = text_.substr(at_, 2);
    const bool isLong = std::ranges::find(kLongMarks, two) != kLongMarks.end();
    return take(Token::Kind::mark, at_ + (isLong ? 2 : 1));
  }

  Token take(Token::Kind kind, std::size_t end) {
    const Token token{kind, text_.substr(at_, end - at_), at_, line_};
    at_ = end;
    return token;
  }

  Token numberToken() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (isWordCharacter(text_[end]) || text_[end] == '.' || text_[end] == '\'' ||
            ((text_[end] == '+' || text_[end] == '-') && end > at_ &&
             (text_[end - 1] == 'e' || text_[end - 1] == 'E') &&
             !text_.substr(at_).starts_with("0x")))) {
      ++end;
    }
    return take(Token::Kind::number, end);
  }

  Result<Token> literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    if (end >= text_.size() || text_[end] != quote) {
      return userError("line {}: a literal has no end", line_);
    }
    return take(Token::Kind::literal, end + 1);
  }

  Token directive() {
    std::size_t end = at_;
    int lines = 0;
    while (end < text_.size() && text_[end] != '\n') {
      const bool goesOn = text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] == '\n';
      lines += goesOn ? 1 : 0;
      end += goesOn ? 2 : 1;
    }
    const Token token = take(Token::Kind::directive, end);
    line_ += lines;
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Result<std::vector<Token>> tokensOf(std::string_view text) { return Lexer(text).all(); }

}  // namespace hone::kernel::nest
