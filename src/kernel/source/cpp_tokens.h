#pragma once

#include <string_view>
#include <vector>

#include "cpp_source/lexer.h"

namespace hone::kernel {

/// Splits a kernel in C or C++ into tokens. Of the tokens in directives only those of a #define are
/// kept: they become code where the macro is used.
[[nodiscard]] std::vector<cpp_source::Token> kernelTokens(std::string_view text);

}  // namespace hone::kernel
