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

/// How a run of the program ended. A signal counts as 128 and its number, as in a shell.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;

  /// Its stdout as JSON; fails the test where it is not.
  [[nodiscard]] nlohmann::json json() const;
};

/// The program under way. It is killed with all it started when nobody waited for it.
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
  /// What it wrote to stdout by now.
  [[nodiscard]] std::string outSoFar() const;
  /// Waits for the end; a program that takes minutes is killed and fails the test.
  [[nodiscard]] Ran wait();

 private:
  pid_t pid_;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

/// The program as one user sees it: a private working folder, store, cache and temporary folder,
/// all removed at the end. A sandbox poses as a node of a cluster, so that programs in different
/// sandboxes do not wait for each other's measurements.
class Sandbox {
 public:
  Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  Sandbox(Sandbox&&) = delete;
  Sandbox& operator=(Sandbox&&) = delete;
  ~Sandbox();

  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }
  /// The working folder of the program.
  [[nodiscard]] std::filesystem::path work() const { return root() / "work"; }
  [[nodiscard]] std::filesystem::path temporary() const { return root() / "tmp"; }
  [[nodiscard]] std::filesystem::path cache() const { return root() / "cache"; }
  [[nodiscard]] std::filesystem::path store() const { return root() / "data/hone/hone.db"; }
  /// Writes a file in the working folder.
  void write(const std::string& name, std::string_view text) const;

  /// A copy of the program away from its repository, whose IREE it would find.
  void moveProgram();
  /// Set in the program's environment from now on; "" takes it out.
  void setVariable(const std::string& name, const std::string& value);
  /// Runs in the child before the program starts; where it says no, the exit code is kNotPermitted.
  void prepare(std::function<bool()> action) { prepare_ = std::move(action); }
  static constexpr int kNotPermitted = 77;

  [[nodiscard]] const std::filesystem::path& program() const { return program_; }
  [[nodiscard]] Process start(const std::vector<std::string>& arguments);
  [[nodiscard]] Ran hone(const std::vector<std::string>& arguments) {
    return start(arguments).wait();
  }

  /// How many trials of a run are in the store, also while it is being written.
  [[nodiscard]] std::int64_t trialsStored(std::int64_t run) const;
  /// Processes that the program started, directly or not, and that are still there.
  [[nodiscard]] std::vector<pid_t> processesLeft() const;
  /// The same, once what was killed had the time to die.
  [[nodiscard]] bool allProcessesEnd() const;
  /// What a killed or careless program leaves: scratch folders, half-written files.
  [[nodiscard]] std::vector<std::string> litter() const;

 private:
  [[noreturn]] void becomeHone(const std::vector<std::string>& arguments,
                               const std::filesystem::path& out,
                               const std::filesystem::path& err) const;

  ScratchFolder folder_;
  std::filesystem::path program_;
  std::vector<std::pair<std::string, std::string>> variables_;
  std::function<bool()> prepare_;
  int started_ = 0;
};

/// One line on stderr, "hone: …", nothing on stdout, and the exit code: what every error promises.
void expectError(const Ran& ran, int code, const std::vector<std::string>& says);

/// No line of a table (cells are two blanks apart) is longer than 80 characters.
void expectTablesFit(const Ran& ran);

/// Waits until the condition holds; false when it does not for minutes.
[[nodiscard]] bool eventually(const std::function<bool()>& condition);

/// A matmul in f32, as MLIR; `start` is the value it adds to (0 for a real one).
[[nodiscard]] std::string matmulText(int m, int n, int k, std::string_view start = "0.0");

/// A config that sets the tiles of a matmul on the CPU.
[[nodiscard]] nlohmann::json tiles(const std::string& name, int rows, int columns, int reduction);

}  // namespace hone::test
