#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "cpp_source/lexer.h"

namespace hone::kernel {

/// Splits a C or C++ kernel into tokens. Drops the tokens in directives except for those of
/// #define, which become code where the macro is used.
[[nodiscard]] std::vector<cpp_source::Token> kernelTokens(std::string_view text);

/// Returns true if the text, such as that of a token, is one of `all`.
[[nodiscard]] bool isOneOf(std::string_view text, std::initializer_list<std::string_view> all);

}  // namespace hone::kernel
