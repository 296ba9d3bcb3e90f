#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

enum class Language : std::uint8_t { cpp, tilelang };

/// "cpp", "tilelang".
[[nodiscard]] std::string_view nameOf(Language language);
[[nodiscard]] std::optional<Language> languageFrom(std::string_view name);

/// A kernel as text: the original, or what a proposer made of it.
struct Source {
  Language language = Language::cpp;
  std::string name;                ///< of the kernel, without folder or ending: "softmax"
  std::string text;                ///< the whole file
  std::vector<std::string> flags;  ///< for the compiler, on top of the judge's own

  /// Equal for sources that build alike, whatever their names.
  [[nodiscard]] std::string key() const;
  bool operator==(const Source&) const = default;
};

/// Reads a kernel file; the ending tells the language (.c, .cc, .cpp; .py). One that is missing,
/// too large or no text is a user error.
[[nodiscard]] Result<Source> readSource(const std::filesystem::path& file);

}  // namespace hone::kernel
