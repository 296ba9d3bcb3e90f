#pragma once

#include <string>
#include <string_view>

namespace hone::kernel {

/// Flag that selects C instead of C++; it stands for the file ending .c.
inline constexpr std::string_view kAsC = "-xc";

/// Explains why a kernel may not have a compiler flag; "" if it is allowed. Allowed are flags that
/// change optimization, the instruction set, the language standard and macros. Everything else is
/// rejected: it could run programs, read or write files, or change what is compiled.
[[nodiscard]] std::string explainRejectedFlag(std::string_view flag);

}  // namespace hone::kernel
