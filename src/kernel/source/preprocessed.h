#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// Output of `g++ -E -dI` for a kernel in canonical form, see canonicalCpp.
struct Preprocessed {
  /// Code of the kernel itself with macros expanded, the #include lines, and lines "# LINE" that
  /// give the line of the text after them.
  std::string own;
  std::string unit;                ///< translation unit to compile; names the kernel `name`
  std::vector<std::string> files;  ///< other files that contributed text, each once
};

/// Separates the lines of `file`, the path given to the compiler, from those of headers.
[[nodiscard]] Preprocessed splitPreprocessed(std::string_view output, std::string_view file,
                                             std::string_view name);

}  // namespace hone::kernel
