#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/process/subprocess.h"

namespace hone::split {

/// Temporarily edits a source of the user. The original text is kept in `<file>.hone-backup` and
/// restored on destruction, also after an error or Ctrl-C. If the process is killed, the next one
/// restores it. A lock excludes other processes.
class SourceGuard {
 public:
  /// Locks the file; restores it first if a killed process left it edited.
  [[nodiscard]] static Result<SourceGuard> take(const std::filesystem::path& file);
  SourceGuard(SourceGuard&& other) noexcept;
  SourceGuard& operator=(SourceGuard&&) = delete;
  SourceGuard(const SourceGuard&) = delete;
  SourceGuard& operator=(const SourceGuard&) = delete;
  ~SourceGuard();

  [[nodiscard]] const std::string& original() const { return original_; }
  /// Returns a notice if the file was restored after a killed process; otherwise "".
  [[nodiscard]] const std::string& notice() const { return notice_; }

  /// Writes another text to the file, with a last line that marks it as temporary.
  [[nodiscard]] Result<void> write(std::string_view text);
  /// Restores the original text now. Returns a user error, and leaves the file and its backup as
  /// they are, if the file was changed by another process.
  [[nodiscard]] Result<void> restore();

 private:
  SourceGuard(std::filesystem::path file, FileLock lock, std::string original, std::string notice);

  std::filesystem::path file_;  ///< "" if moved from
  FileLock lock_;
  std::string original_;
  std::string notice_;
};

/// Restores a source that a killed process left edited. Returns a notice, or nullopt if there was
/// nothing to do. Returns a user error if another process has the lock.
[[nodiscard]] Result<std::optional<std::string>> restoreLeftover(const std::filesystem::path& file);

/// Build command of the compiler.
struct Build {
  std::filesystem::path folder;  ///< working directory of the command
  /// Shell command line.
  std::string command = "cmake --build . --target iree-compile";
  Limits limits;
  std::filesystem::path log;  ///< file for the build's output; "" for none
};

/// Builds the compiler and returns the build's output. A failed build is a user error with the last
/// lines of the output.
[[nodiscard]] Result<std::string> buildCompiler(const Build& build);

}  // namespace hone::split
