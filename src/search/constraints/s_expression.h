#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::search {

/// An s-expression: a word, or a list of expressions. Words lie in the text that was read.
struct Expression {
  int line = 0;
  bool isList = false;
  std::string_view word;
  std::vector<Expression> items;
};

/// All expressions of a text, ';' begins a remark, |…| and "…" are words with blanks. Brackets that
/// do not match, or too many of them, are an error with their line.
[[nodiscard]] Result<std::vector<Expression>> readExpressions(std::string_view text);

}  // namespace hone::search
