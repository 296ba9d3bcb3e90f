#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Lexer for code that reads or edits C++ without compiling it.
namespace hone::cpp_source {

enum class TokenKind : std::uint8_t {
  identifier,  ///< includes keywords
  number,      ///< preprocessing number with suffix
  character,   ///< literal with prefix and quotes
  string,      ///< literal with prefix and quotes, including raw literals
  header,      ///< header name of an #include, with quotes or brackets
  punctuator,  ///< includes characters that C++ does not use
  directive,   ///< whole preprocessor directive; its tokens follow
};

struct Token {
  TokenKind kind = TokenKind::punctuator;
  /// Spelling with lines joined and digraphs replaced. A directive starts with '#' and has one
  /// blank per comment.
  std::string text;
  std::size_t begin = 0;  ///< offset in the original text
  std::size_t end = 0;
  int line = 1;              ///< line of the first character
  int column = 1;            ///< in bytes
  bool inDirective = false;  ///< part of the preceding directive
};

/// An unterminated comment or literal.
struct Unterminated {
  enum class Kind : std::uint8_t { comment, literal, rawLiteral };
  Kind kind = Kind::comment;
  int line = 1;  ///< first line
};

struct LexedText {
  std::vector<Token> tokens;
  std::optional<Unterminated> unterminated;  ///< the first one
};

/// Splits the text into tokens like the first three translation phases and drops comments. Never
/// fails: an unterminated literal, or a raw literal with an invalid delimiter, ends at its line
/// end; an unterminated comment or raw literal ends at the end of the text. Differences from the
/// standard:
/// - `>>` is two tokens, since it may close two template argument lists;
/// - the suffix of a user-defined string or character literal is a separate token;
/// - blanks may follow the backslash of a line splice (as in C++23 and g++).
[[nodiscard]] LexedText lex(std::string_view text);

/// Returns the characters between the quotes of a literal, with escapes as written.
[[nodiscard]] std::string_view literalBody(const Token& token);

}  // namespace hone::cpp_source
