#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

class PythonForkServer;

/// How a worker is started.
struct WorkerCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
  std::uint64_t memoryBytes = 0;
  std::filesystem::path log;  ///< gets what the kernel prints
  /// Forks the worker instead of starting `argv`.
  std::shared_ptr<PythonForkServer> forkServer = nullptr;
  bool tilelang = false;  ///< for the forkServer: a kernel, not only a reference
};

/// This process's environment with `changes` in it, and without the user's secrets.
[[nodiscard]] std::vector<std::string> workerEnvironment(
    const std::vector<std::pair<std::string, std::string>>& changes);

/// Starts it in a group of its own, with these ends of its channels.
[[nodiscard]] Result<pid_t> startProcess(const WorkerCommand& command, int requests, int answers,
                                         int log);

// Of any process, whosever child it is.

/// Whether it has ended by itself; waits a moment for it.
[[nodiscard]] bool endsNow(pid_t pid);
/// -1 where there is none.
[[nodiscard]] pid_t parentOf(pid_t pid);
/// Waits a moment until all its threads sleep: what one of them still computes belongs to the call,
/// and the clock of one that runs on another CPU is up to a tick behind, so that a call may seem to
/// take no time at all.
void untilAsleep(pid_t pid);
/// What all its threads computed so far; 0 where there is no such process.
[[nodiscard]] std::int64_t cpuTimeNs(pid_t pid);
/// What its first thread computed so far; 0 where the system does not tell.
[[nodiscard]] std::int64_t mainThreadNs(pid_t pid);
/// 0 where there is no such process.
[[nodiscard]] std::size_t threadCount(pid_t pid);

}  // namespace hone::kernel
