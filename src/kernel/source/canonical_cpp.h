#pragma once

#include <string>
#include <string_view>

namespace hone::kernel {

/// Rewrites a C or C++ source so that every compiler splits it into the tokens that hone sees.
/// Keeps the lines of tokens. Comments, line splices, digraphs, trigraphs, raw literals and digit
/// separators are gone: raw literals become ordinary ones. Drops #line and line markers, which
/// would let a kernel pass its code off as that of another file.
[[nodiscard]] std::string canonicalCpp(std::string_view text);

}  // namespace hone::kernel
