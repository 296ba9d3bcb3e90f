#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/worker/cpp/cpp_compiler.h"

namespace hone::kernel {

/// Name of the kernel in messages of the compiler.
inline constexpr std::string_view kKernelFile = "kernel.cc";

/// Returns the messages of g++, the assembler and the linker that concern the kernel itself, the
/// system headers that it instantiates, or the flags. Drops all other lines: they could contain
/// text of other files. Names the kernel `kernel.cc`; the result is valid UTF-8.
[[nodiscard]] std::string filterDiagnostics(std::string_view text, const CppCompiler& compiler);

/// Returns the first error of filtered diagnostics with its position as "line 12:"; "" if there is
/// none.
[[nodiscard]] std::string firstCompileError(std::string_view diagnostics);

/// Replaces bytes that are not UTF-8 by U+FFFD.
[[nodiscard]] std::string toUtf8(std::string_view text);

/// Returns the dependencies of a make rule, as written by -MD.
[[nodiscard]] std::vector<std::string> parseDependencies(std::string_view rule);

/// Returns at most 30 remarks of -fopt-info-vec about lines of `fileName`: first the vectorized
/// loops, then those that were not and why. Each remark occurs once.
[[nodiscard]] std::vector<std::string> vectorRemarks(std::string_view info,
                                                     std::string_view fileName);

}  // namespace hone::kernel
