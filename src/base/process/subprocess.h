#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/process/environment.h"

namespace hone {

class FileRules;
class FileView;

/// Resource limits of a child process. Zero means unlimited.
struct Limits {
  std::chrono::milliseconds wall{0};
  std::uint64_t memoryBytes = 0;
  /// Limits each file that the child writes, and the sum of all files in its writable folders.
  std::uint64_t diskBytes = 0;
};

/// Returns the limit of the disk space that one child may fill below `folder`: half of the free
/// space, at most 64 GiB; 0 if the free space is unknown.
[[nodiscard]] std::uint64_t diskLimit(const std::filesystem::path& folder);

/// Returns the size of all files below the folders.
[[nodiscard]] std::uint64_t diskUsage(std::span<const std::filesystem::path> folders);

/// Confines a child; call it in the child right after fork. Creates a process group, sets the
/// limits of memory and file size, disables core files, restores the default signal handlers, and
/// kills the child when `parent` dies. Async-signal-safe.
void confineChild(pid_t parent, const Limits& limits);

/// Exit status and resource usage of a child process.
struct Ending {
  enum class How : std::uint8_t { exited, signalled, timedOut, filledDisk };
  How how = How::exited;
  int code = 0;  ///< exit code or signal number
  std::int64_t wallNs = 0;
  std::int64_t cpuNs = 0;
  std::int64_t maxRssBytes = 0;

  [[nodiscard]] bool ok() const { return how == How::exited && code == 0; }
  /// Returns true if the child was killed because a file or all its files exceeded the limit.
  [[nodiscard]] bool wroteTooMuch() const;
  /// Returns "exit code 1", "killed by SIGSEGV" or "stopped after 30 s", for messages.
  [[nodiscard]] std::string describe() const;
};

/// Fails with a machine error if the child was stopped by the file size limit of this process
/// (ulimit -f), which is lower than the child's. That is not a failure of the child.
[[nodiscard]] Result<void> checkFileSizeLimit(const Ending& ending, const Limits& limits);

/// Converts the status and rusage reported by wait4.
[[nodiscard]] Ending endingFrom(int waitStatus, const rusage& usage);

struct Command {
  std::vector<std::string> argv;
  /// Set in addition to the inherited variables; overrides them.
  std::vector<std::pair<std::string, std::string>> environment;
  Limits limits;
  Inherit inherit = Inherit::everything;
  /// Folders that the program may change, as far as the system can enforce it; nullopt: all. The
  /// limit of disk space applies to their growth.
  std::optional<std::vector<std::filesystem::path>> writable = std::nullopt;
  const FileRules* rules = nullptr;  ///< replace those for `writable`
  const FileView* view = nullptr;    ///< file system of the program; null: that of hone
  /// Runs before all programs of normal priority, so that they do not disturb a measurement. Has no
  /// effect where mayRunFirst() is false.
  bool runsFirst = false;
};

/// Returns true if this process may give its children real-time priority, and the system keeps some
/// processor time for normal programs even then.
[[nodiscard]] bool mayRunFirst();

struct Finished {
  Ending ending;
  std::string out;
  std::string err;
};

/// Runs a program (argv[0] is its path) in a new process group, with an empty stdin. Captures
/// stdout and stderr, each up to 64 MiB, and discards the rest. Kills the whole group on a timeout,
/// on an interrupt, and when the program exits. Fails only if the program cannot be started or on
/// an interrupt; a failing program is not an error.
[[nodiscard]] Result<Finished> runCommand(const Command& command);

/// Returns the full path of a program on PATH, or "" if there is none. A name with a slash is not
/// searched for.
[[nodiscard]] std::string findProgram(std::string_view name);

}  // namespace hone
