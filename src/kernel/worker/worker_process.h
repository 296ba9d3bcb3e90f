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

/// Parameters for starting a worker.
struct WorkerCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
  std::uint64_t memoryBytes = 0;
  std::filesystem::path log;  ///< receives the output of the kernel
  /// Forks the worker instead of executing `argv`.
  std::shared_ptr<PythonForkServer> forkServer = nullptr;
  bool tilelang = false;  ///< for the fork server: import TileLang for a kernel
};

/// Returns this process's environment with `changes` applied and without secrets.
[[nodiscard]] std::vector<std::string> workerEnvironment(
    const std::vector<std::pair<std::string, std::string>>& changes);

/// Starts a worker in a new process group, with these ends of its channels.
[[nodiscard]] Result<pid_t> startProcess(const WorkerCommand& command, int requests, int replies,
                                         int log);

// Functions for any process, also one that is not a child.

/// Returns true if the process ends within a short time.
[[nodiscard]] bool endsSoon(pid_t pid);
/// Returns the parent; -1 if there is no such process.
[[nodiscard]] pid_t readParent(pid_t pid);
/// Waits briefly until all threads of the process sleep. Work that a thread still does belongs to
/// the call. Besides, the clock of a thread on another CPU lags by up to a tick, so that a call
/// might seem to take no time.
void waitUntilAsleep(pid_t pid);
/// Returns the CPU time of all threads; 0 if there is no such process.
[[nodiscard]] std::int64_t cpuTimeNs(pid_t pid);
/// Returns the CPU time of the first thread; 0 if unknown.
[[nodiscard]] std::int64_t mainThreadNs(pid_t pid);
/// Returns the number of threads; 0 if there is no such process.
[[nodiscard]] std::size_t threadCount(pid_t pid);

}  // namespace hone::kernel
