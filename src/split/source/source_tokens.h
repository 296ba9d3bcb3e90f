#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::split {

/// A token of C++. Comments are none; a preprocessor line is one.
struct Token {
  enum class Kind : std::uint8_t { word, number, literal, mark, directive };
  Kind kind = Kind::mark;
  std::string_view text;
  std::size_t begin = 0;  ///< its offset in the source
  int line = 0;
  /// Of a bracket: the index of the one that it belongs to; of others its own.
  std::size_t partner = 0;

  [[nodiscard]] std::size_t end() const { return begin + text.size(); }
};

/// A source and its tokens, which lie in the text that it was read from.
struct Source {
  std::string file;  ///< as messages name it
  std::string_view text;
  std::vector<Token> tokens;

  /// An error at a line of the file.
  template <typename... Args>
  [[nodiscard]] std::unexpected<Error> error(int line, fmt::format_string<Args...> format,
                                             Args&&... args) const {
    return userError("{}:{}: {}", file, line, fmt::format(format, std::forward<Args>(args)...));
  }
};

/// Reads the tokens; what stands between `#if 0` and its `#endif` counts as a comment. Literals or
/// comments without an end, and brackets that do not match, are a user error with their line.
[[nodiscard]] Result<Source> readSource(std::string_view text, std::string file);

/// A preprocessor line without its '#' and without blanks: "if0", "endif", "definexy".
[[nodiscard]] std::string directiveOf(const Token& token);

/// Whether the tokens from `at` on have these texts.
[[nodiscard]] bool matches(std::span<const Token> tokens, std::size_t at,
                           std::initializer_list<std::string_view> texts);

/// The value of `NUMBER` or `NUMBER * NUMBER …`, plain decimal integers that C++ multiplies without
/// overflow. Moves `at` behind it.
[[nodiscard]] std::optional<std::int64_t> readProduct(std::span<const Token> tokens,
                                                      std::size_t& at);

}  // namespace hone::split
