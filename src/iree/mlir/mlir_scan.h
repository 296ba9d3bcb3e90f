#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone::iree {

// Finds the extent of pieces of printed MLIR. Strings and comments are skipped as a whole, and the
// arrow "->" closes no bracket.

/// The position of a piece that a text does not have.
inline constexpr std::size_t kNoPosition = std::string_view::npos;

/// Returns the position after the string, comment, arrow or single character at `at`.
[[nodiscard]] std::size_t nextPosition(std::string_view text, std::size_t at);

/// Returns the position after the bracket that closes the one at `at`; kNoPosition if none does.
[[nodiscard]] std::size_t closingPosition(std::string_view text, std::size_t at);

/// Returns the position of `word` outside of strings and comments, as a whole word, from `at` on;
/// kNoPosition if there is none. Letters, digits, '_', '.', '$' and '-' belong to a word.
[[nodiscard]] std::size_t findWord(std::string_view text, std::string_view word,
                                   std::size_t at = 0);

/// Returns the position of the first character from `at` on that is neither white space nor part of
/// a comment.
[[nodiscard]] std::size_t skipBlanks(std::string_view text, std::size_t at);

/// Returns the text without comments.
[[nodiscard]] std::string withoutComments(std::string_view text);

}  // namespace hone::iree
