#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "iree/compile/installation.h"
#include "iree/run/device.h"

namespace hone::iree {

/// A compiled module with all that is needed to call it once.
struct Call {
  std::filesystem::path module;
  std::string function;
  std::vector<std::string> inputs;  ///< as --input= takes them: "4x4xf32=@file.bin"
};

struct CallReport {
  enum class Status : std::uint8_t { ok, failed, timedOut };
  Status status = Status::ok;
  std::string message;      ///< one line for a person; "" when ok
  std::string diagnostics;  ///< all that the tool said
  Ending ending;
};

/// One time of one call, the mean over `iterations` calls in a row.
struct CallTime {
  double wallNs = 0;
  double cpuNs = 0;
};

struct Timings {
  CallReport report;
  std::vector<CallTime> times;
};

/// What becomes of the memory of a call when it ends.
enum class Memory : std::uint8_t {
  kept,   ///< the next call uses it: times are those of the code
  fresh,  ///< it goes back to the system, and on a CPU each call pays for every page that it
          ///< touches
};

/// What starts a tool of the runtime for a call.
[[nodiscard]] Command commandFor(const Installation& installation, const Device& device,
                                 const Limits& limits, std::string_view tool, const Call& call);
/// What times a call.
[[nodiscard]] Command benchmarkFor(const Installation& installation, const Device& device,
                                   const Limits& limits, const Call& call,
                                   Memory memory = Memory::kept);

/// Runs and times compiled modules on one device, always in children with limits. A call that
/// fails is a value; the error of a Result is an interrupt or the machine's.
class ModuleRunner {
 public:
  ModuleRunner(Installation installation, Device device, Limits limits)
      : installation_(std::move(installation)), device_(std::move(device)), limits_(limits) {}

  [[nodiscard]] const Installation& installation() const { return installation_; }
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  /// The same, which times calls with their memory kept (as all do if not told otherwise) or fresh.
  [[nodiscard]] ModuleRunner with(Memory memory) const {
    ModuleRunner other = *this;
    other.memory_ = memory;
    return other;
  }

  /// Calls once and writes each result raw to the file given for it.
  [[nodiscard]] Result<CallReport> run(const Call& call,
                                       std::span<const std::filesystem::path> results) const;

  /// `repetitions` times, each over `iterations` calls, in one fresh process, after one repetition
  /// that is not counted: the first touches memory and code for the others. Stopped (timedOut) when
  /// the process takes longer than `patience`.
  [[nodiscard]] Result<Timings> time(const Call& call, std::int64_t iterations,
                                     std::int64_t repetitions,
                                     std::optional<std::chrono::milliseconds> patience = {}) const;
  /// The same without that repetition: for calls so long that it does not matter.
  [[nodiscard]] Result<Timings> timeCold(const Call& call, std::int64_t repetitions) const;

 private:
  /// So many repetitions, of which the first `dropped` are not counted.
  [[nodiscard]] Result<Timings> timeAll(const Call& call, std::int64_t iterations,
                                        std::int64_t repetitions, std::int64_t dropped,
                                        const Limits& limits) const;

  Installation installation_;
  Device device_;
  Limits limits_;
  Memory memory_ = Memory::kept;
};

}  // namespace hone::iree
