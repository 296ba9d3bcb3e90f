#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::kernel::nest {

/// A token of C++. Comments are none; a preprocessor line is one.
struct Token {
  enum class Kind : std::uint8_t { word, number, literal, mark, directive, end };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t begin = 0;  ///< its offset in the text
  int line = 1;

  [[nodiscard]] std::size_t end() const { return begin + text.size(); }
};

/// The tokens of the text, which must outlive them, with one of the kind `end` behind them. A
/// comment or literal without its end is a user error with its line.
[[nodiscard]] Result<std::vector<Token>> tokensOf(std::string_view text);

}  // namespace hone::kernel::nest
