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

/// A source and its tokens. A preprocessor directive is one token.
struct Source {
  std::string file;  ///< name for messages
  std::string_view text;
  std::vector<Token> tokens;
  /// Per token: the index of the matching bracket, or its own index if it is not a bracket.
  std::vector<std::size_t> partners;

  /// Returns a user error at a line of the file.
  template <typename... Args>
  [[nodiscard]] std::unexpected<Error> error(int line, fmt::format_string<Args...> format,
                                             Args&&... args) const {
    return userError("{}:{}: {}", file, line, fmt::format(format, std::forward<Args>(args)...));
  }
};

/// Tokenizes the text. Code between `#if 0` and its `#endif` counts as a comment. Unterminated
/// literals or comments and unbalanced brackets are user errors with their line.
[[nodiscard]] Result<Source> readSource(std::string_view text, std::string file);

/// Returns a directive without '#' and blanks: "if0", "endif", "definexy".
[[nodiscard]] std::string parseDirective(const Token& token);

/// Returns true if the tokens from `at` on have these texts.
[[nodiscard]] bool matches(std::span<const Token> tokens, std::size_t at,
                           std::initializer_list<std::string_view> texts);

/// Parses `NUMBER` or `NUMBER * NUMBER …`: plain decimal integers whose product does not overflow
/// in C++. Moves `at` past it.
[[nodiscard]] std::optional<std::int64_t> readProduct(std::span<const Token> tokens,
                                                      std::size_t& at);

}  // namespace hone::split
