#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"

namespace hone::engine {

/// Machine-wide lock, one per user and Slurm node. Compiles share it; a measurement holds it
/// exclusively, also against other runs of hone. Released on destruction.
class MachineLock {
 public:
  [[nodiscard]] static Result<MachineLock> forCompiling();
  [[nodiscard]] static Result<MachineLock> forMeasuring();

  /// Lets this process work under the lock that its parent holds. Call it in a forked child.
  static void inherit();

  /// Returns the nanoseconds that this process has waited for the lock. Budgets exclude them.
  [[nodiscard]] static std::int64_t waitedNs();

 private:
  explicit MachineLock(std::optional<FileLock> lock) : lock_(std::move(lock)) {}
  [[nodiscard]] static Result<MachineLock> acquire(FileLock::Share share);

  std::optional<FileLock> lock_;  ///< nullopt: held by the parent
};

}  // namespace hone::engine
