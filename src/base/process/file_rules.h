#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>

namespace hone {

/// Files that a program may access; folders stand for everything below them.
struct FileAccess {
  std::set<std::filesystem::path> readable;  ///< may be read and executed
  std::set<std::filesystem::path> writable;  ///< may also be created, changed and removed
};

/// Landlock rules for a process. Create them before fork: only enforce() is async-signal-safe.
class FileRules {
 public:
  /// Returns rules that allow only this access. They also forbid TCP connections, abstract sockets
  /// and signals to other processes, as far as the system supports it. Returns nullopt if the
  /// system has no Landlock. Skips paths that do not exist.
  [[nodiscard]] static std::optional<FileRules> create(const FileAccess& access);
  /// Returns rules that allow changing files only below these folders and in /dev. They restrict
  /// nothing else. Returns nullopt if the system has no Landlock. Skips folders that do not exist.
  [[nodiscard]] static std::optional<FileRules> changeOnlyBelow(
      std::span<const std::filesystem::path> folders);
  FileRules(FileRules&& other) noexcept;
  FileRules& operator=(FileRules&& other) noexcept;
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;
  ~FileRules();

  /// Restricts this thread, and the threads and processes that it starts, irrevocably. Returns
  /// false and sets errno on failure. Async-signal-safe.
  [[nodiscard]] bool enforce() const;

  /// Returns the version of the Landlock interface that the system offers; 0 if there is none.
  [[nodiscard]] static int version();

 private:
  explicit FileRules(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace hone
