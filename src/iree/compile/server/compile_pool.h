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

/// Compiles in children, a few at a time. A fork server loads and initialises the compiler library
/// once and forks a child for every job, half a millisecond each: the effects of a job on its
/// process (global flags, a crash, a leak) end with it. Each child is limited in time and memory;
/// if the fork server itself dies, it is replaced and its unfinished jobs are run again.
///
/// Must be started while this process has a single thread. Not for use by several threads.
class CompilePool {
 public:
  struct Options {
    std::filesystem::path library;
    std::size_t workers = 2;
    /// Replaces the compiler, for tests that need a child to crash, hang or eat memory on demand.
    JobFunction function;
  };

  [[nodiscard]] static Result<CompilePool> start(Options options);
  CompilePool(CompilePool&& other) noexcept;
  CompilePool& operator=(CompilePool&&) = delete;
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  ~CompilePool();

  /// The revision that the library says of itself; part of every cache key.
  [[nodiscard]] const std::string& revision() const { return revision_; }
  [[nodiscard]] std::size_t workers() const { return options_.workers; }

  /// Returns the CPU time that the fork server spent on starting and watching children: overhead of
  /// hone, without loading the compiler and without compiling.
  [[nodiscard]] std::int64_t forkServerCpuNs() const { return pastServersNs_ + serverNs_; }

  /// Queues the job and returns the number that its report will carry.
  [[nodiscard]] std::uint64_t submit(CompileJob job);
  /// Jobs without a report yet.
  [[nodiscard]] std::size_t pending() const { return waiting_.size() + running_.size(); }
  /// The next report, whichever job is done first. An error is an interrupt or the machine's.
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
  Result<void> replaceServer();
  void stopServer();
  [[nodiscard]] CompileReport makeReport(const Pending& pending, Ending ending) const;
  [[nodiscard]] std::filesystem::path jobFolder(std::uint64_t id) const;

  Options options_;
  ScratchFolder scratch_;
  std::string revision_;
  pid_t server_ = -1;
  int socket_ = -1;
  std::int64_t serverNs_ = 0;
  std::int64_t pastServersNs_ = 0;  ///< of fork servers that were replaced
  std::uint64_t lastId_ = 0;
  std::deque<Pending> waiting_;
  std::map<std::uint64_t, Pending> running_;
  std::deque<CompileReport> lost_;  ///< reports of jobs that killed the fork server repeatedly
};

}  // namespace hone::iree
