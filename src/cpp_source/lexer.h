#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// C++ source text as tokens, for everyone who reads or edits C++ without compiling it.
namespace hone::cpp_source {

enum class TokenKind : std::uint8_t {
  identifier,  ///< keywords too
  number,      ///< a preprocessing number, with its suffix
  character,   ///< a literal, with its prefix and quotes
  string,      ///< a literal, with its prefix and quotes; raw ones too
  header,      ///< the header name of an #include, with its quotes or brackets
  punctuator,  ///< also a character that C++ has no use for
  directive,   ///< a whole preprocessor directive; the tokens in it follow
};

struct Token {
  TokenKind kind = TokenKind::punctuator;
  /// The spelling with lines joined and digraphs as what they stand for. That of a directive begins
  /// with '#' and has one blank for each comment.
  std::string text;
  std::size_t begin = 0;  ///< offsets in the original text
  std::size_t end = 0;
  int line = 1;              ///< of its first character
  int column = 1;            ///< in bytes
  bool inDirective = false;  ///< stands in the directive before it
};

/// A comment or literal without its end.
struct Unterminated {
  enum class Kind : std::uint8_t { comment, literal, rawLiteral };
  Kind kind = Kind::comment;
  int line = 1;  ///< where it begins
};

struct LexedText {
  std::vector<Token> tokens;
  std::optional<Unterminated> unterminated;  ///< the first one
};

/// Splits the text into tokens as the first three phases of translation do; comments are left out.
/// Never fails: an unterminated literal ends with its line, a comment or a raw literal with the
/// text. Where it differs from the standard:
/// - `>>` is two tokens, since it ends two lists of template arguments as often as it shifts;
/// - the suffix of a user-defined string or character literal is a token of its own;
/// - blanks may stand between a backslash and the line end that it joins (as in C++23 and g++).
[[nodiscard]] LexedText lex(std::string_view text);

/// The characters between the quotes of a character or string literal, escapes as written.
[[nodiscard]] std::string_view literalBody(const Token& token);

}  // namespace hone::cpp_source
