#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cpp_source/lexer.h"

namespace hone::split {

using cpp_source::Token;
using cpp_source::TokenKind;

/// A source and its tokens. A directive is one token.
struct Source {
  std::string file;  ///< as messages name it
  std::string_view text;
  std::vector<Token> tokens;
  /// Per token: the index of the bracket that it belongs to; of others its own.
  std::vector<std::size_t> partners;

  /// An error at a line of the file.
  template <typename... Args>
  [[nodiscard]] std::unexpected<Error> error(int line, fmt::format_string<Args...> format,
                                             Args&&... args) const {
    return userError("{}:{}: {}", file, line, fmt::format(format, std::forward<Args>(args)...));
  }
};

/// Reads the tokens; code between `#if 0` and its `#endif` counts as a comment. Literals or
/// comments without an end, and brackets that do not match, are a user error with their line.
[[nodiscard]] Result<Source> readSource(std::string_view text, std::string file);

/// Returns a directive without its '#' and without blanks: "if0", "endif", "definexy".
[[nodiscard]] std::string directiveOf(const Token& token);

/// True if the tokens from `at` on have these texts.
[[nodiscard]] bool matches(std::span<const Token> tokens, std::size_t at,
                           std::initializer_list<std::string_view> texts);

/// Reads the value of `NUMBER` or `NUMBER * NUMBER …`, plain decimal integers that C++ multiplies
/// without overflow. Moves `at` behind it.
[[nodiscard]] std::optional<std::int64_t> readProduct(std::span<const Token> tokens,
                                                      std::size_t& at);

}  // namespace hone::split
