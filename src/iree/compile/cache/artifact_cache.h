#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::iree {

/// Files by the hash of all that went into them. Entries appear whole or not at all (written
/// beside, then renamed), never change, and may be deleted by anybody at any time.
class ArtifactCache {
 public:
  explicit ArtifactCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Where the entry of the key is, or will be.
  [[nodiscard]] std::filesystem::path pathOf(std::string_view key, std::string_view ending) const;
  [[nodiscard]] bool has(std::string_view key, std::string_view ending) const;
  /// A name to write the entry to before it is kept; its folder is made.
  [[nodiscard]] Result<std::filesystem::path> beside(std::string_view key,
                                                     std::string_view ending) const;
  /// Makes what was written beside the entry.
  [[nodiscard]] Result<std::filesystem::path> keep(const std::filesystem::path& written,
                                                   std::string_view key,
                                                   std::string_view ending) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace hone::iree
