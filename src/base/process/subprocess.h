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

/// What a child may use; zero means no limit.
struct Limits {
  std::chrono::milliseconds wall{0};
  std::uint64_t memoryBytes = 0;
};

/// Called in a child right after fork: a process group of its own, death with its parent, no core
/// files, the memory limit. Async-signal-safe.
void confineChild(pid_t parent, const Limits& limits);

/// How a child ended, and what it used.
struct Ending {
  enum class How : std::uint8_t { exited, signalled, timedOut };
  How how = How::exited;
  int code = 0;  ///< the exit code, or the signal's number
  std::int64_t wallNs = 0;
  std::int64_t cpuNs = 0;
  std::int64_t maxRssBytes = 0;

  [[nodiscard]] bool ok() const { return how == How::exited && code == 0; }
  /// "exit code 1", "killed by SIGSEGV", "stopped after 30 s": for messages.
  [[nodiscard]] std::string describe() const;
};

/// The ending that wait4 reported by its status and rusage.
[[nodiscard]] Ending endingFrom(int waitStatus, const rusage& usage);

struct Command {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  ///< on top of this process's own
  Limits limits;
};

struct Finished {
  Ending ending;
  std::string out;
  std::string err;
};

/// Runs a program (argv[0] is its path) to its end in a process group of its own, both its streams
/// caught. On a time-out or an interrupt the whole group is killed; when the program ends, what is
/// left of its group is too. An error means that it could not be started, or an interrupt; a
/// program that failed is a value.
[[nodiscard]] Result<Finished> runCommand(const Command& command);

/// The full path of a program on PATH, or nothing ("").
[[nodiscard]] std::string findProgram(std::string_view name);

}  // namespace hone
