#include "iree/artifact_cache.h"

#include <unistd.h>

#include <system_error>

#include "base/file.h"

namespace hone::iree {

namespace fs = std::filesystem;

fs::path ArtifactCache::pathOf(std::string_view key, std::string_view ending) const {
  return folder_ / key.substr(0, 2) / fmt::format("{}.{}", key.substr(2), ending);
}

bool ArtifactCache::has(std::string_view key, std::string_view ending) const {
  std::error_code ignored;
  return fs::exists(pathOf(key, ending), ignored);
}

Result<fs::path> ArtifactCache::beside(std::string_view key, std::string_view ending) const {
  const fs::path entry = pathOf(key, ending);
  HONE_CHECK(makeFolder(entry.parent_path()));
  return fs::path(fmt::format("{}.{}.part", entry.string(), ::getpid()));
}

Result<fs::path> ArtifactCache::keep(const fs::path& written, std::string_view key,
                                     std::string_view ending) const {
  fs::path entry = pathOf(key, ending);
  std::error_code code;
  fs::rename(written, entry, code);
  if (code) {
    return machineError("cannot keep {}: {}", entry.string(), code.message());
  }
  return entry;
}

}  // namespace hone::iree
