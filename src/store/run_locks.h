#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/error.h"

namespace hone::store {

/// Locks of the runs of a store, one byte per run in a lock file. They belong to the open file, so
/// they end with the process, also if it is killed, and a forked child does not release them.
class RunLocks {
 public:
  /// Opens the lock file; creates it if missing.
  [[nodiscard]] static Result<RunLocks> open(const std::filesystem::path& file);
  RunLocks(RunLocks&& other) noexcept;
  RunLocks& operator=(RunLocks&&) = delete;
  RunLocks(const RunLocks&) = delete;
  RunLocks& operator=(const RunLocks&) = delete;
  ~RunLocks();

  /// Runs `action` in mutual exclusion with other processes. Waits for the lock; an interrupt ends
  /// the wait with an error.
  [[nodiscard]] Result<void> exclusively(const std::function<Result<void>()>& action) const;

  /// Claims a run for this process; returns false if another process works on it.
  [[nodiscard]] bool tryClaim(std::int64_t run) const;
  /// Returns true if another process works on the run.
  [[nodiscard]] bool isClaimed(std::int64_t run) const;

 private:
  explicit RunLocks(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace hone::store
