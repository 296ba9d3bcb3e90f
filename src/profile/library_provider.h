#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "iree/run/device.h"
#include "model/problem/problem.h"
#include "verify/onednn/onednn_timing.h"

namespace hone::profile {

/// How many threads a library may use where IREE has the device: as many as IREE itself.
[[nodiscard]] int threadsOf(const iree::Device& device);

struct LibraryTimings {
  enum class Status : std::uint8_t { ok, unsupported, failed, timedOut };
  Status status = Status::ok;
  std::string message;  ///< one line for a person; "" when ok
  verify::LibraryTimes times;
};

/// Times a tuned library (oneDNN) beside IREE, each time in a child with limits: `hone
/// time-library` of the program `self`. Does not take the machine lock: the caller holds it.
class LibraryProvider {
 public:
  LibraryProvider(std::filesystem::path self, Limits limits)
      : self_(std::move(self)), limits_(limits) {}

  /// `repetitions` times, each over `iterations` calls on `threads` threads. A problem that the
  /// library cannot do, a crash and a time-out are values; an error is an interrupt, or that the
  /// program cannot be started.
  [[nodiscard]] Result<LibraryTimings> time(const model::Problem& problem, int threads,
                                            std::int64_t iterations,
                                            std::int64_t repetitions) const;

  /// GB/s of the main memory for `threads` threads.
  [[nodiscard]] Result<double> bandwidth(int threads) const;

 private:
  [[nodiscard]] Result<Finished> run(std::vector<std::string> arguments, int threads) const;

  std::filesystem::path self_;
  Limits limits_;
};

}  // namespace hone::profile
