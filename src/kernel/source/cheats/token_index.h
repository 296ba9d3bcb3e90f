#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "cpp_source/lexer.h"

namespace hone::kernel {

/// Ascending indices of tokens.
class TokenPlaces {
 public:
  /// Adds an index larger than all before.
  void add(std::size_t i) { places_.push_back(i); }
  /// Returns the first index in [begin, end), or `end` if there is none.
  [[nodiscard]] std::size_t firstIn(std::size_t begin, std::size_t end) const;

 private:
  std::vector<std::size_t> places_;
};

/// Tokens with their brackets and statements, which are found once: a question costs at most
/// O(log n), so that a scan of hostile code stays fast.
class TokenIndex {
 public:
  explicit TokenIndex(std::span<const cpp_source::Token> tokens);

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const cpp_source::Token& token(std::size_t i) const { return tokens_[i]; }
  /// Returns a token's text; "" beyond the end.
  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? std::string_view(tokens_[i].text) : std::string_view();
  }
  [[nodiscard]] std::string_view before(std::size_t i, std::size_t steps = 1) const {
    return i >= steps ? at(i - steps) : std::string_view();
  }
  [[nodiscard]] bool isName(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == cpp_source::TokenKind::identifier;
  }

  /// Returns the index after the bracket that closes the "(", "[" or "<" at `open`; the number of
  /// tokens if it is never closed. Each kind is counted alone. Returns `open` + 1 for other tokens.
  [[nodiscard]] std::size_t afterBracket(std::size_t open) const;
  /// Returns the index of the bracket that the one at `close` closes; `close` for other tokens.
  [[nodiscard]] std::size_t openingBracket(std::size_t close) const { return opens_[close]; }
  /// Returns the index of the first token of the statement with the token at i.
  [[nodiscard]] std::size_t statementBegin(std::size_t i) const { return begins_[i]; }
  /// Returns the index of the first ";", "{" or "}" at i or later.
  [[nodiscard]] std::size_t statementEnd(std::size_t i) const {
    return ends_.firstIn(i, tokens_.size());
  }

 private:
  std::span<const cpp_source::Token> tokens_;
  std::vector<std::size_t> closes_;  ///< by index of an opening bracket; 0 for other tokens
  std::vector<std::size_t> opens_;   ///< by index of a closing bracket; own index of other tokens
  std::vector<std::size_t> begins_;  ///< by index
  TokenPlaces ends_;
};

}  // namespace hone::kernel
