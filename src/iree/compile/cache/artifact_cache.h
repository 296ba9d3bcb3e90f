#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::iree {

/// Stores files by a hash of all their inputs. Entries appear atomically (written to a temporary
/// file, then renamed), never change, and may be deleted at any time, also by other processes.
/// The length and the SHA-256 of an entry are stored beside it: a damaged entry counts as missing
/// and is replaced by the next keep().
class ArtifactCache {
 public:
  explicit ArtifactCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the path of the key's entry, which may not exist yet.
  [[nodiscard]] std::filesystem::path pathFor(std::string_view key, std::string_view ending) const;
  /// Returns true if the entry exists and is undamaged. Reads all of it.
  [[nodiscard]] bool has(std::string_view key, std::string_view ending) const;
  /// Returns true if there is an entry that has() does not accept.
  [[nodiscard]] bool isDamaged(std::string_view key, std::string_view ending) const;
  /// Returns the temporary path to write an entry to before keep(). Creates its folder.
  [[nodiscard]] Result<std::filesystem::path> temporaryPath(std::string_view key,
                                                            std::string_view ending) const;
  /// Moves a file written to temporaryPath() into the cache and returns its path.
  [[nodiscard]] Result<std::filesystem::path> keep(const std::filesystem::path& written,
                                                   std::string_view key,
                                                   std::string_view ending) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace hone::iree
