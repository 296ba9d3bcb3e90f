#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

/// Returns the contents of `file`; fails with a user error if it cannot be opened. Reads pipes and
/// terminals to their end. Refuses devices without an end, such as /dev/random.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& file);

/// Writes a temporary file, syncs it to the disk and renames it: readers never see partial
/// contents, not even after a crash. Follows links. Keeps the mode of an existing file. Writes to
/// devices, pipes and /dev/stdout instead of replacing them.
[[nodiscard]] Result<void> writeFile(const std::filesystem::path& file, std::string_view content);

/// Writes a file that need not survive a crash: like writeFile(), but without syncing, and replaces
/// devices and links.
[[nodiscard]] Result<void> writeScratchFile(const std::filesystem::path& file,
                                            std::string_view content);

/// Fails with a user error if the folder of `file` does not exist, or if no file can be created in
/// it. Call it before starting the work whose result goes there. An empty path is not an error.
[[nodiscard]] Result<void> checkParentFolder(const std::filesystem::path& file);

/// Returns true if `file`, which need not exist, is in `folder` or below it, with all links
/// followed.
[[nodiscard]] bool isBelow(const std::filesystem::path& file, const std::filesystem::path& folder);

[[nodiscard]] Result<void> makeFolder(const std::filesystem::path& folder);

/// Returns $XDG_DATA_HOME/hone or $HOME/.local/share/hone, for persistent data. Fails with a
/// machine error if neither variable is set.
[[nodiscard]] Result<std::filesystem::path> dataFolder();
/// Returns $XDG_CACHE_HOME/hone or $HOME/.cache/hone, for data that can be recomputed.
[[nodiscard]] Result<std::filesystem::path> cacheFolder();

/// Returns $TMPDIR or /tmp.
[[nodiscard]] std::filesystem::path temporaryFolder();

/// A unique folder in $TMPDIR or /tmp, removed recursively on destruction. Creating one also
/// removes the folders with the same prefix that killed processes of this machine left.
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

/// Opens a lock file; creates it if missing. Refuses links, which another user may have put into a
/// shared folder, and everything else that is not a regular file.
[[nodiscard]] Result<int> openLockFile(const std::filesystem::path& file);

/// Inter-process file lock. Released on destruction or when the process dies. Never follows a link
/// at the place of the lock file.
class FileLock {
 public:
  /// Takes the lock; fails immediately with a user error if another process holds it.
  /// Creates the lock file if missing. The holder may remove the file.
  [[nodiscard]] static Result<FileLock> tryLock(const std::filesystem::path& file);
  enum class Share : std::uint8_t { exclusive, shared };
  /// Waits until the lock is free; an interrupt ends the wait with an error. Calls `onWait` first
  /// if another process holds it. Holders must not remove the file.
  [[nodiscard]] static Result<FileLock> waitFor(const std::filesystem::path& file, Share share,
                                                const std::function<void()>& onWait = {});
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Replaces the text in the lock file, for messages of other processes.
  void note(std::string_view text) const;

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace hone
