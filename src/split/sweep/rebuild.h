#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/process/subprocess.h"

namespace hone::split {

/// A source of the user's that is changed for a while. Its text is kept beside it, as
/// `<file>.hone-backup`, and put back at the end, also after an error or Ctrl-C; what a killed
/// process left is put back by the next one. Only one process has a source at a time.
class SourceGuard {
 public:
  /// Takes the file; puts back first what a killed process left.
  [[nodiscard]] static Result<SourceGuard> take(const std::filesystem::path& file);
  SourceGuard(SourceGuard&& other) noexcept;
  SourceGuard& operator=(SourceGuard&&) = delete;
  SourceGuard(const SourceGuard&) = delete;
  SourceGuard& operator=(const SourceGuard&) = delete;
  ~SourceGuard();

  [[nodiscard]] const std::string& original() const { return original_; }
  /// Says that the text of a killed process was put back when the file was taken; else "".
  [[nodiscard]] const std::string& notice() const { return notice_; }

  /// Puts another text into the file, with a last line that says that it is not to stay.
  [[nodiscard]] Result<void> write(std::string_view text);
  /// Puts the text back now. A file that somebody else changed meanwhile stays as it is, with the
  /// backup beside it: a user error.
  [[nodiscard]] Result<void> restore();

 private:
  SourceGuard(std::filesystem::path file, FileLock lock, std::string original, std::string notice);

  std::filesystem::path file_;  ///< "" when moved from
  FileLock lock_;
  std::string original_;
  std::string notice_;
};

/// Puts back what a killed process left, and says so; nothing where there is nothing to do. While
/// another process has the source it is a user error.
[[nodiscard]] Result<std::optional<std::string>> restoreLeftover(const std::filesystem::path& file);

/// How the compiler is built from its sources.
struct Build {
  std::filesystem::path folder;  ///< where the command runs
  /// A line for the shell.
  std::string command = "cmake --build . --target iree-compile";
  Limits limits;
  std::filesystem::path log;  ///< gets all that the build prints; "" for none
};

/// Builds; what it printed. A build that fails is a user error with its last lines.
[[nodiscard]] Result<std::string> buildCompiler(const Build& build);

}  // namespace hone::split
