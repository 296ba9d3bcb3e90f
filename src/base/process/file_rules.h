#pragma once

#include <filesystem>
#include <optional>
#include <set>

namespace hone {

/// Files that a program may access; folders stand for everything below them.
struct FileAccess {
  std::set<std::filesystem::path> readable;  ///< may be read and executed
  std::set<std::filesystem::path> writable;  ///< may also be created, changed and removed
};

/// Landlock rules for a child process. They also forbid TCP connections, abstract sockets and
/// signals to other processes, as far as the system supports it.
class FileRules {
 public:
  /// Returns nullopt if the system has no Landlock. Skips paths that do not exist.
  [[nodiscard]] static std::optional<FileRules> create(const FileAccess& access);
  FileRules(FileRules&& other) noexcept;
  FileRules& operator=(FileRules&& other) noexcept;
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;
  ~FileRules();

  /// Returns the descriptor for Command::fileRules.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Restricts this process and its children irrevocably. Returns false and sets errno on failure.
  /// Async-signal-safe.
  [[nodiscard]] static bool enter(int descriptor);

  /// Returns the version of the Landlock interface that the system offers; 0 if there is none.
  [[nodiscard]] static int version();

 private:
  explicit FileRules(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace hone
