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
  std::filesystem::path folder;  ///< scratch folder of a Python process
  /// Forks the worker instead of executing `argv`.
  std::shared_ptr<PythonForkServer> forkServer = nullptr;
  bool tilelang = false;  ///< for the fork server: import TileLang for a kernel
};

/// Descriptors that a child gets under the numbers of control_page.h; -1: none.
struct ChildDescriptors {
  int requests = -1;
  int replies = -1;
  int log = -1;
  int control = -1;
  int status = -1;
};

/// Variables that a child inherits from this process.
enum class Inherited : std::uint8_t {
  loader,  ///< those of the dynamic loader and of sanitizers
  python,  ///< also those that locate Python packages, compilers, CUDA and temporary files
};

/// Returns the environment of a child: the inherited variables, by name, and `own`.
[[nodiscard]] std::vector<std::string> childEnvironment(
    Inherited inherited, const std::vector<std::pair<std::string, std::string>>& own);

/// Starts a worker in a new process group.
[[nodiscard]] Result<pid_t> startProcess(const WorkerCommand& command,
                                         const ChildDescriptors& descriptors);

/// Returns true if the process ends within a short time.
[[nodiscard]] bool endsSoon(pid_t pid);
/// Returns the CPU time of all threads; 0 if there is no such process.
[[nodiscard]] std::int64_t cpuTimeNs(pid_t pid);
/// Returns the number of threads; 0 if there is no such process.
[[nodiscard]] std::size_t threadCount(pid_t pid);

}  // namespace hone::kernel
