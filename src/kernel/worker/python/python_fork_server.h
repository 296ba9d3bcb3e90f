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
#include "base/process/subprocess.h"

namespace hone::kernel {

/// What a forked worker is given.
struct PythonWorker {
  std::filesystem::path folder;  ///< the only one it may write to
  std::uint64_t memoryBytes = 0;
  std::vector<std::pair<std::string, std::string>> environment;
  bool tilelang = false;  ///< imported before the fork
};

/// A Python process that has imported torch, which takes seconds, and forks workers, which takes
/// milliseconds. docs/kernel-worker.md says what is spoken with it.
class PythonForkServer {
 public:
  /// The one of this process for that interpreter and script, started at the first use.
  [[nodiscard]] static Result<std::shared_ptr<PythonForkServer>> of(
      const std::filesystem::path& interpreter, const std::filesystem::path& script);
  PythonForkServer(const PythonForkServer&) = delete;
  PythonForkServer& operator=(const PythonForkServer&) = delete;
  ~PythonForkServer();

  /// Forks a worker with these descriptors; its process is in a group of its own.
  [[nodiscard]] Result<pid_t> fork(const PythonWorker& worker, int requests, int answers, int log);
  /// How a worker ended; waits for it. Its number is not given to another process before.
  [[nodiscard]] Result<Ending> wait(pid_t worker);

 private:
  PythonForkServer(pid_t pid, int socket, ScratchFolder folder)
      : pid_(pid), socket_(socket), folder_(std::move(folder)) {}
  [[nodiscard]] static Result<std::shared_ptr<PythonForkServer>> start(
      const std::filesystem::path& interpreter, const std::filesystem::path& script);
  enum class Interrupts : std::uint8_t { heed, ignore };
  [[nodiscard]] Result<nlohmann::json> ask(const nlohmann::json& message,
                                           std::span<const int> descriptors, Interrupts interrupts);
  [[nodiscard]] Result<nlohmann::json> receive(Interrupts interrupts);
  void loseTouch();
  [[nodiscard]] std::filesystem::path log() const { return folder_.path() / "log"; }
  [[nodiscard]] bool alive() const;

  pid_t pid_;
  int socket_;
  std::atomic<bool> lost_ = false;  ///< it ends, and its workers with it
  ScratchFolder folder_;
  std::mutex mutex_;
};

}  // namespace hone::kernel
