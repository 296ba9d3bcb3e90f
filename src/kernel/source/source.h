#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

/// Label of the comment line with the flags of a kernel.
inline constexpr std::string_view kFlagsLabel = "hone: flags ";

enum class Language : std::uint8_t { cpp, tilelang };

/// Returns "cpp" or "tilelang".
[[nodiscard]] std::string_view nameOf(Language language);
[[nodiscard]] std::optional<Language> languageFrom(std::string_view name);

/// Source text of a kernel: the original, or a candidate of a proposer.
struct Source {
  Language language = Language::cpp;
  std::string name;                ///< file name without folder and extension: "softmax"
  std::string text;                ///< contents of the file
  std::vector<std::string> flags;  ///< compiler flags, in addition to those of the judge

  /// Returns a hash of everything that affects the build; the name does not.
  [[nodiscard]] std::string key() const;
  bool operator==(const Source&) const = default;
};

/// Reads a kernel file. The extension determines the language (.c, .cc, .cpp, .cxx or .py). Fails
/// with a user error if the file is missing, empty, too large or not text.
[[nodiscard]] Result<Source> readSource(const std::filesystem::path& file);

/// Returns the flags of the header line "// hone: flags -O3 …" that hone writes into optimized
/// kernels, so that the file is rebuilt as it was measured. The judge rejects a kernel with flags
/// that are not allowed.
[[nodiscard]] std::vector<std::string> readHeaderFlags(std::string_view text);

}  // namespace hone::kernel
