#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// A token of Python; comments are left out.
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
  /// How far a statement that begins with it is indented; -1 for others.
  std::int64_t indent = -1;

  [[nodiscard]] bool is(std::string_view other) const {
    return text == other && kind != Kind::text;
  }
  [[nodiscard]] bool isName() const { return kind == Kind::name; }
};

/// Splits Python into tokens; code in the braces of an f-string is tokens too. Never fails: an
/// unterminated literal ends with the text.
[[nodiscard]] std::vector<PythonToken> pythonTokens(std::string_view text);

}  // namespace hone::kernel
