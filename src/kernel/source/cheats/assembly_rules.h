#pragma once

#include <string>
#include <string_view>

namespace hone::kernel {

/// Returns the value of a C++ string literal's body: escapes are replaced by their characters.
[[nodiscard]] std::string decodeEscapes(std::string_view body);

/// Describes a forbidden instruction or assembler directive in the text of an asm statement; "" if
/// there is none. Rejects text that only the assembler or the operands complete, such as macros,
/// `.byte` and operands in the place of an instruction.
[[nodiscard]] std::string explainRejectedAssembly(std::string_view text);

}  // namespace hone::kernel
