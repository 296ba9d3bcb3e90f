#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "kernel/worker/worker_process.h"

namespace hone::kernel {

/// Parameters of a forked worker.
struct PythonWorker {
  std::filesystem::path folder;  ///< the only writable folder
  std::uint64_t memoryBytes = 0;
  std::vector<std::pair<std::string, std::string>> environment;
  bool tilelang = false;  ///< import TileLang before the fork
};

/// A Python process that imports torch once, which takes seconds, and forks workers, which takes
/// milliseconds. The protocol is in docs/kernel-worker.md.
class PythonForkServer {
 public:
  /// Returns this process's server for the interpreter and script; starts it on first use.
  [[nodiscard]] static Result<std::shared_ptr<PythonForkServer>> of(
      const std::filesystem::path& interpreter, const std::filesystem::path& script);
  PythonForkServer(const PythonForkServer&) = delete;
  PythonForkServer& operator=(const PythonForkServer&) = delete;
  ~PythonForkServer();

  /// Forks a worker with these descriptors, in a new process group. It is a child of this process.
  [[nodiscard]] Result<pid_t> fork(const PythonWorker& worker, const ChildDescriptors& descriptors);

 private:
  PythonForkServer(pid_t pid, int socket, ScratchFolder folder)
      : pid_(pid), socket_(socket), folder_(std::move(folder)) {}
  [[nodiscard]] static Result<std::shared_ptr<PythonForkServer>> start(
      const std::filesystem::path& interpreter, const std::filesystem::path& script);
  [[nodiscard]] Result<nlohmann::json> ask(const nlohmann::json& message,
                                           std::span<const int> descriptors);
  [[nodiscard]] Result<nlohmann::json> receive();
  void disconnect();
  [[nodiscard]] std::filesystem::path log() const { return folder_.path() / "log"; }
  [[nodiscard]] bool alive() const;

  pid_t pid_;
  int socket_;
  std::atomic<bool> lost_ = false;  ///< the connection was dropped; the server ends
  ScratchFolder folder_;
  std::mutex mutex_;
};

}  // namespace hone::kernel
