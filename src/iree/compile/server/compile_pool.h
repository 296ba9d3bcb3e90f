#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "iree/compile/job/compile_job.h"

namespace hone::iree {

/// The function that a child of the pool runs; its return value is the child's exit code.
using JobFunction = std::function<int(const CompileJob&)>;

/// Compiles in child processes, a few at a time. A fork server loads and initializes the compiler
/// library once and forks a child per job (0.5 ms). Global flags, crashes and leaks of a job do not
/// affect other jobs. Each child has limits of time, memory and disk space, lacks the secrets in
/// the environment, and may change files only in its folder and in the folder of its output. If the
/// fork server itself dies, it is replaced and its unfinished jobs are retried.
///
/// Must be started while this process is single-threaded. Not thread-safe.
class CompilePool {
 public:
  struct Options {
    std::filesystem::path library;
    std::size_t workers = 2;
    /// Replaces the compiler in tests, to crash, hang or exhaust memory on demand.
    JobFunction function;
  };

  [[nodiscard]] static Result<CompilePool> start(Options options);
  CompilePool(CompilePool&& other) noexcept;
  CompilePool& operator=(CompilePool&&) = delete;
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  ~CompilePool();

  /// Returns the revision reported by the library; part of every cache key.
  [[nodiscard]] const std::string& revision() const { return revision_; }
  /// Returns true if the library describes GPU pipelines by constraints (IREE 3.12 or newer).
  [[nodiscard]] bool hasConstraints() const { return hasConstraints_; }
  [[nodiscard]] const std::filesystem::path& library() const { return options_.library; }
  [[nodiscard]] std::size_t workers() const { return options_.workers; }

  /// Returns the CPU time that the fork server spent on starting and watching children. This is
  /// hone's overhead: it excludes loading the compiler and compiling.
  [[nodiscard]] std::int64_t forkServerCpuNs() const { return pastServersNs_ + serverNs_; }

  /// Queues the job and returns the id of its report.
  [[nodiscard]] std::uint64_t submit(CompileJob job);
  /// Returns the number of jobs without a report.
  [[nodiscard]] std::size_t pending() const {
    return waiting_.size() + running_.size() + lost_.size();
  }
  /// Waits for the next job to finish and returns its report. An error is an interrupt or a machine
  /// error.
  [[nodiscard]] Result<CompileReport> next();
  /// Submits one job and waits for it; the pool must be idle.
  [[nodiscard]] Result<CompileReport> runOne(CompileJob job);

 private:
  struct Pending {
    std::uint64_t id = 0;
    CompileJob job;
    int starts = 0;
    std::int64_t startNs = 0;
  };

  CompilePool(Options options, ScratchFolder scratch)
      : options_(std::move(options)), scratch_(std::move(scratch)) {}
  Result<void> startServer();
  Result<void> dispatch();
  /// Shortens the limit of a job to its deadline; returns false if it has passed.
  [[nodiscard]] static bool applyDeadline(CompileJob& job);
  Result<void> replaceServer();
  void stopServer();
  [[nodiscard]] CompileReport makeReport(const Pending& pending, Ending ending) const;
  [[nodiscard]] std::filesystem::path jobFolder(std::uint64_t id) const;

  Options options_;
  ScratchFolder scratch_;
  std::string revision_;
  bool hasConstraints_ = false;
  pid_t server_ = -1;
  int socket_ = -1;
  std::int64_t serverNs_ = 0;
  std::int64_t pastServersNs_ = 0;  ///< of replaced fork servers
  std::uint64_t lastId_ = 0;
  std::deque<Pending> waiting_;
  std::map<std::uint64_t, Pending> running_;
  /// Reports of jobs that were not started: after their deadline, or because they killed the fork
  /// server repeatedly.
  std::deque<CompileReport> lost_;
};

}  // namespace hone::iree
