#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// A token of Python source; comments are dropped.
struct PythonToken {
  enum class Kind : std::uint8_t {
    name,  ///< identifiers and keywords
    number,
    text,    ///< a string literal, without its quotes
    symbol,  ///< one character
  };
  Kind kind = Kind::symbol;
  std::string text;
  int line = 1;
  /// Indentation of the statement that starts with this token; -1 for other tokens.
  std::int64_t indent = -1;

  [[nodiscard]] bool is(std::string_view other) const {
    return text == other && kind != Kind::text;
  }
  [[nodiscard]] bool isName() const { return kind == Kind::name; }
};

/// Splits Python source into tokens as Python 3.12 does, including code in the braces of f-strings.
/// Never fails: an unterminated literal ends with the text.
[[nodiscard]] std::vector<PythonToken> pythonTokens(std::string_view text);

}  // namespace hone::kernel
