#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

/// The whole file. A missing file is the user's fault and is named.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& file);

/// Writes beside the file, then renames: a reader sees the old text or the new, never half.
[[nodiscard]] Result<void> writeFile(const std::filesystem::path& file, std::string_view content);

/// A user error where a file cannot be written because its folder is not there: to be asked before
/// the work whose result goes there. "" is no file and no error.
[[nodiscard]] Result<void> checkFolderOf(const std::filesystem::path& file);

[[nodiscard]] Result<void> makeFolder(const std::filesystem::path& folder);

/// $XDG_DATA_HOME/hone or ~/.local/share/hone: what must last.
[[nodiscard]] std::filesystem::path dataFolder();
/// $XDG_CACHE_HOME/hone or ~/.cache/hone: what can be made again.
[[nodiscard]] std::filesystem::path cacheFolder();

/// A folder of its own below the system's temporary one, removed with all in it at the end. What a
/// killed process left there is removed when the next one is made.
class ScratchFolder {
 public:
  [[nodiscard]] static Result<ScratchFolder> create(std::string_view prefix = "hone");
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// A lock of a file between processes; let go at the end, or when the process dies.
class FileLock {
 public:
  /// Takes the lock, or fails at once (a user error) when another process has it.
  /// The lock file is created where it is missing; who holds it may remove it.
  [[nodiscard]] static Result<FileLock> tryLock(const std::filesystem::path& file);
  enum class Share : std::uint8_t { exclusive, shared };
  /// Waits until the lock is free. Calls `onWait` first if another process holds it.
  [[nodiscard]] static Result<FileLock> waitFor(const std::filesystem::path& file, Share share,
                                                const std::function<void()>& onWait = {});
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace hone
