#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// A word of a program, comments left out.
struct Token {
  enum class Kind : std::uint8_t {
    name,  ///< identifiers and keywords
    number,
    text,       ///< a string literal, without its quotes
    symbol,     ///< one character
    directive,  ///< a whole preprocessor line
  };
  Kind kind = Kind::symbol;
  std::string text;
  std::size_t line = 1;
  /// In Python: how far a statement that begins with it is indented; -1 for others.
  std::int64_t indent = -1;

  [[nodiscard]] bool is(std::string_view other) const {
    return text == other && kind != Kind::text;
  }
  [[nodiscard]] bool isName() const { return kind == Kind::name; }
};

/// C and C++. Never fails: what is unfinished ends with the text.
[[nodiscard]] std::vector<Token> cppTokens(std::string_view text);
/// Python; what stands in braces in an f-string is code too.
[[nodiscard]] std::vector<Token> pythonTokens(std::string_view text);

/// Looks around in the words of a program.
class TokenReader {
 protected:
  explicit TokenReader(std::span<const Token> tokens) : tokens_(tokens) {}

  /// "" beyond the end, and for string literals.
  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind != Token::Kind::text
               ? std::string_view(tokens_[i].text)
               : std::string_view();
  }
  [[nodiscard]] std::string_view before(std::size_t i, std::size_t steps = 1) const {
    return i >= steps ? at(i - steps) : std::string_view();
  }

  std::span<const Token> tokens_;
};

}  // namespace hone::kernel
