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
#include "iree/compile/toolchain/installation.h"
#include "iree/run/device.h"

namespace hone::iree {

/// A function of a compiled module with its inputs.
struct Call {
  std::filesystem::path module;
  std::string function;
  std::vector<std::string> inputs;  ///< in the syntax of --input=: "4x4xf32=@file.bin"
  /// Files with weights, in the syntax of --parameters=: "model=weights.irpa".
  std::vector<std::string> parameters{};
};

struct CallReport {
  enum class Status : std::uint8_t { ok, failed, timedOut };
  Status status = Status::ok;
  std::string message;      ///< one line for the user; "" if ok
  std::string diagnostics;  ///< the tool's complete stderr
  Ending ending;
};

/// The mean time per call over consecutive calls.
struct CallTime {
  double wallNs = 0;
  double cpuNs = 0;
};

struct Timings {
  CallReport report;
  std::vector<CallTime> times;
};

/// The handling of device memory between calls.
enum class Memory : std::uint8_t {
  kept,   ///< reused by the next call: only the code is timed
  fresh,  ///< returned to the system: on a CPU each call pays a page fault per page it touches
};

/// Returns the command that starts a tool of the runtime for a call. The tool lacks the secrets in
/// the environment. On a CPU it may change no files, except in folders that the caller adds.
[[nodiscard]] Command commandFor(const Installation& installation, const Device& device,
                                 const Limits& limits, std::string_view tool, const Call& call);
/// Returns the command that times a call.
[[nodiscard]] Command benchmarkFor(const Installation& installation, const Device& device,
                                   const Limits& limits, const Call& call,
                                   Memory memory = Memory::kept);

/// Runs a tool of the runtime with a temporary folder, which is removed afterwards. Fails like
/// runCommand(), and if the file size limit of this process stopped the tool.
[[nodiscard]] Result<Finished> runTool(Command command);

/// Runs and times compiled modules on one device, always in child processes with limits. A failed
/// call is reported in the value; a Result's error is an interrupt or a machine error.
class ModuleRunner {
 public:
  ModuleRunner(Installation installation, Device device, Limits limits)
      : installation_(std::move(installation)), device_(std::move(device)), limits_(limits) {}

  [[nodiscard]] const Installation& installation() const { return installation_; }
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  /// Returns a copy that times calls with the given memory handling (default: kept).
  [[nodiscard]] ModuleRunner with(Memory memory) const {
    ModuleRunner other = *this;
    other.memory_ = memory;
    return other;
  }

  /// Stops all later processes at this monotonic time, too; 0: none.
  void setDeadline(std::int64_t ns) { deadlineNs_ = ns; }

  /// Calls once and writes the raw bytes of each result to the corresponding file.
  [[nodiscard]] Result<CallReport> run(const Call& call,
                                       std::span<const std::filesystem::path> results) const;

  /// Measures `repetitions` times over `iterations` calls each, in one fresh process. One warm-up
  /// repetition touches memory and code first. Reports timedOut if the process takes longer than
  /// `patience`.
  [[nodiscard]] Result<Timings> time(const Call& call, std::int64_t iterations,
                                     std::int64_t repetitions,
                                     std::optional<std::chrono::milliseconds> patience = {}) const;
  /// Like time(), but without the warm-up repetition: for calls so long that it does not matter.
  [[nodiscard]] Result<Timings> timeCold(const Call& call, std::int64_t repetitions) const;

 private:
  /// Runs `repetitions` repetitions and discards the first `dropped` of them.
  [[nodiscard]] Result<Timings> timeAll(const Call& call, std::int64_t iterations,
                                        std::int64_t repetitions, std::int64_t dropped,
                                        const Limits& limits) const;

  /// Returns the limits of a process that starts now.
  [[nodiscard]] Limits limitsNow(Limits limits) const;

  Installation installation_;
  Device device_;
  Limits limits_;
  std::int64_t deadlineNs_ = 0;
  Memory memory_ = Memory::kept;
};

}  // namespace hone::iree
