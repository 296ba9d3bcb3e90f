#include "iree/compile/cache/artifact_cache.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"

namespace hone::iree {

namespace fs = std::filesystem;

namespace {

/// Removes files "<entry>.<pid>.part…" left behind by killed processes.
void sweepParts(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::string before = name.substr(0, name.find(".part"));
    const auto pid = parseInt(before.substr(before.rfind('.') + 1));
    if (before.size() < name.size() && pid && *pid > 0 &&
        ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH) {
      fs::remove(entry.path(), ignored);
    }
  }
}

bool isKey(std::string_view key) {
  return key.size() == 64 && key.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

fs::path checksumPath(const fs::path& entry) { return entry.string() + ".sum"; }

/// Returns "<length> <SHA-256>\n" of a file.
Result<std::string> checksum(const fs::path& file) {
  const std::string hash = HONE_TRY(hashFile(file));
  std::error_code code;
  const auto size = fs::file_size(file, code);
  return fmt::format("{} {}\n", size, hash);
}

}  // namespace

fs::path ArtifactCache::pathFor(std::string_view key, std::string_view ending) const {
  return folder_ / key.substr(0, 2) / fmt::format("{}.{}", key.substr(2), ending);
}

bool ArtifactCache::has(std::string_view key, std::string_view ending) const {
  if (!isKey(key)) {
    return false;
  }
  const fs::path entry = pathFor(key, ending);
  const auto stored = readFile(checksumPath(entry));
  if (!stored) {
    return false;
  }
  // A cut-off file is detected without reading it.
  std::error_code code;
  const auto size = fs::file_size(entry, code);
  if (code || !stored->starts_with(fmt::format("{} ", size))) {
    return false;
  }
  const auto now = checksum(entry);
  return now && *now == *stored;
}

bool ArtifactCache::isDamaged(std::string_view key, std::string_view ending) const {
  std::error_code ignored;
  return fs::exists(pathFor(key, ending), ignored) && !has(key, ending);
}

Result<fs::path> ArtifactCache::temporaryPath(std::string_view key, std::string_view ending) const {
  // One folder per machine: the next writer removes the files of killed processes. A process of
  // another machine that shares the cache cannot be checked from here.
  const fs::path parts = folder_ / "parts" / hostName();
  HONE_CHECK(makeFolder(pathFor(key, ending).parent_path()));
  HONE_CHECK(makeFolder(parts));
  sweepParts(parts);
  return parts / fmt::format("{}.{}.{}.part", key, ending, ::getpid());
}

Result<fs::path> ArtifactCache::keep(const fs::path& written, std::string_view key,
                                     std::string_view ending) const {
  fs::path entry = pathFor(key, ending);
  const std::string sum = HONE_TRY(checksum(written));
  std::error_code code;
  fs::rename(written, entry, code);
  if (code) {
    return machineError("cannot write cache entry {}: {}", entry.string(), code.message());
  }
  HONE_CHECK(writeScratchFile(checksumPath(entry), sum));
  return entry;
}

}  // namespace hone::iree
