#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"

namespace hone::test {

/// Exit code and output of the program. Signal N is exit code 128 + N, as in a shell.
struct CommandResult {
  int code = -1;
  std::string out;
  std::string err;

  /// Parses stdout as JSON; fails the test if it is invalid.
  [[nodiscard]] nlohmann::json json() const;
};

/// A running program. The destructor kills it and its children if wait() was not called.
class Process {
 public:
  Process(pid_t pid, std::filesystem::path out, std::filesystem::path err)
      : pid_(pid), out_(std::move(out)), err_(std::move(err)) {}
  Process(Process&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        out_(std::move(other.out_)),
        err_(std::move(other.err_)) {}
  Process& operator=(Process&&) = delete;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  [[nodiscard]] bool ended() const;
  /// Returns the output written to stdout so far.
  [[nodiscard]] std::string outputSoFar() const;
  /// Waits for the program to exit; kills it and fails the test after minutes.
  [[nodiscard]] CommandResult wait();

 private:
  pid_t pid_;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

/// Runs the program with a private working folder, store, cache and temporary folder, all removed
/// on destruction. A sandbox poses as a cluster node, so that programs in different sandboxes do
/// not wait for each other's measurements.
class Sandbox {
 public:
  Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  Sandbox(Sandbox&&) = delete;
  Sandbox& operator=(Sandbox&&) = delete;
  ~Sandbox();

  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }
  /// Returns the working folder of the program.
  [[nodiscard]] std::filesystem::path work() const { return root() / "work"; }
  [[nodiscard]] std::filesystem::path temporary() const { return root() / "tmp"; }
  [[nodiscard]] std::filesystem::path cache() const { return root() / "cache"; }
  [[nodiscard]] std::filesystem::path store() const { return root() / "data/hone/hone.db"; }
  /// Writes a file in the working folder.
  void write(const std::string& name, std::string_view text) const;

  /// Copies the program out of its repository, so that it does not find the IREE there.
  void moveProgram();
  /// Sets a variable in the environment of programs started later; "" removes it.
  void setVariable(const std::string& name, const std::string& value);
  /// Runs `action` in the child before exec; if it returns false, the exit code is kNotPermitted.
  void prepare(std::function<bool()> action) { prepare_ = std::move(action); }
  static constexpr int kNotPermitted = 77;

  [[nodiscard]] const std::filesystem::path& program() const { return program_; }
  [[nodiscard]] Process start(const std::vector<std::string>& arguments);
  [[nodiscard]] CommandResult hone(const std::vector<std::string>& arguments) {
    return start(arguments).wait();
  }

  /// Returns the number of stored trials of a run, also while the store is being written.
  [[nodiscard]] std::int64_t countStoredTrials(std::int64_t run) const;
  /// Returns the direct and indirect children of the program that are still running.
  [[nodiscard]] std::vector<pid_t> leftoverProcesses() const;
  /// Waits for all children to exit; returns false on timeout.
  [[nodiscard]] bool allProcessesEnd() const;
  /// Returns leftover scratch folders and partially written files.
  [[nodiscard]] std::vector<std::string> leftoverFiles() const;

 private:
  [[noreturn]] void execHone(const std::vector<std::string>& arguments,
                             const std::filesystem::path& out,
                             const std::filesystem::path& err) const;

  ScratchFolder folder_;
  std::filesystem::path program_;
  std::vector<std::pair<std::string, std::string>> variables_;
  std::function<bool()> prepare_;
  int started_ = 0;
};

/// Expects the exit code, one line "hone: …" on stderr with all `parts`, and nothing on stdout.
void expectError(const CommandResult& ran, int code, const std::vector<std::string>& parts);

/// Expects that no table line (cells separated by two blanks) exceeds 80 characters.
void expectTablesFit(const CommandResult& ran);

/// Waits until the condition holds; returns false on timeout.
[[nodiscard]] bool eventually(const std::function<bool()>& condition);

/// Returns an f32 matmul in MLIR; `start` is the initial value of the result (0 for a real one).
[[nodiscard]] std::string matmulText(int m, int n, int k, std::string_view start = "0.0");

/// Returns a config that sets the tiles of a matmul on the CPU.
[[nodiscard]] nlohmann::json tiles(const std::string& name, int rows, int columns, int reduction);

}  // namespace hone::test
