#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::search {

/// An s-expression: a word, or a list of expressions. Words point into the parsed text.
struct Expression {
  int line = 0;
  bool isList = false;
  std::string_view word;
  std::vector<Expression> items;
};

/// Parses all expressions of a text. ';' starts a comment; |…| and "…" are words that may contain
/// blanks. Fails with the line of unbalanced or too deeply nested parentheses.
[[nodiscard]] Result<std::vector<Expression>> parseExpressions(std::string_view text);

}  // namespace hone::search
