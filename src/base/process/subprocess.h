#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hone {

class FileView;

/// Resource limits of a child process. Zero means unlimited.
struct Limits {
  std::chrono::milliseconds wall{0};
  std::uint64_t memoryBytes = 0;
  std::uint64_t fileBytes = 0;  ///< size of each written file
};

/// Confines a child; call it in the child right after fork. Creates a process group, sets the
/// memory limit, disables core files, restores the default signal handlers, and kills the child
/// when `parent` dies. Async-signal-safe.
void confineChild(pid_t parent, const Limits& limits);

/// Exit status and resource usage of a child process.
struct Ending {
  enum class How : std::uint8_t { exited, signalled, timedOut };
  How how = How::exited;
  int code = 0;  ///< exit code or signal number
  std::int64_t wallNs = 0;
  std::int64_t cpuNs = 0;
  std::int64_t maxRssBytes = 0;

  [[nodiscard]] bool ok() const { return how == How::exited && code == 0; }
  /// Returns "exit code 1", "killed by SIGSEGV" or "stopped after 30 s", for messages.
  [[nodiscard]] std::string describe() const;
};

/// Converts the status and rusage reported by wait4.
[[nodiscard]] Ending endingFrom(int waitStatus, const rusage& usage);

struct Command {
  std::vector<std::string> argv;
  /// Set in addition to `inherits`; overrides it.
  std::vector<std::pair<std::string, std::string>> environment;
  Limits limits;
  enum class Inherits : std::uint8_t { everything, nothing };
  Inherits inherits = Inherits::everything;  ///< variables of this process that the program gets
  const FileView* view = nullptr;            ///< file system of the program; null: that of hone
  int fileRules = -1;  ///< descriptor of the FileRules that the program must obey; -1: none
};

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
