#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "iree/run/device.h"
#include "model/problem/problem.h"
#include "verify/library_times.h"

namespace hone::profile {

/// Returns the number of threads a library may use, the same as IREE uses on the device.
[[nodiscard]] int countThreads(const iree::Device& device);

struct LibraryTimings {
  enum class Status : std::uint8_t { ok, unsupported, failed, timedOut };
  Status status = Status::ok;
  std::string message;  ///< one line; "" if ok
  verify::LibraryTimes times;
};

/// Times a tuned library (oneDNN) for comparison with IREE. Each timing runs in a child process
/// with limits: `hone time-library` of the executable `self`. Does not acquire the machine lock;
/// the caller must hold it.
class LibraryProvider {
 public:
  LibraryProvider(std::filesystem::path self, Limits limits)
      : self_(std::move(self)), limits_(limits) {}

  /// Takes `repetitions` samples, each over `iterations` calls on `threads` threads. An unsupported
  /// problem, a crash and a timeout are reported in the status. Errors are interrupts and failures
  /// to start the process.
  [[nodiscard]] Result<LibraryTimings> time(const model::Problem& problem, int threads,
                                            std::int64_t iterations,
                                            std::int64_t repetitions) const;

  /// Measures the bandwidth in GB/s for `threads` threads: of data of `bytes` in all, or of main
  /// memory.
  [[nodiscard]] Result<double> bandwidth(int threads,
                                         std::optional<std::uint64_t> bytes = std::nullopt) const;

 private:
  [[nodiscard]] Result<Finished> run(std::vector<std::string> arguments, int threads) const;

  std::filesystem::path self_;
  Limits limits_;
};

}  // namespace hone::profile
