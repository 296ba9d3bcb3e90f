#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/run/device.h"
#include "iree/run/execution.h"

namespace hone::iree {

/// The time that a program spends in one of its dispatches.
struct DispatchTime {
  std::string name;        ///< assigned by the compiler: "main_dispatch_0_matmul_512x768x1024_f32"
  std::int64_t calls = 0;  ///< per invocation of the function
  double totalNs = 0;      ///< of all calls in one invocation: the median of `invocationNs`
  /// Busy time of all workers in one invocation; exceeds `totalNs` if they run in parallel. 0 if
  /// the device does not report it.
  double busyNs = 0;
  std::vector<double> invocationNs;  ///< of all calls, per measured invocation
};

/// Times every dispatch of a function in `iterations` invocations in one fresh process, after one
/// warm-up invocation. Returns the dispatches in the order of their first execution.
///
/// The runtime's profiler reports wall times: on CPU devices from the start of the first workgroup
/// to the end of the last one, on others from device timestamps. Overlapping dispatches are counted
/// in full, so the sum can exceed the function's time. Fails with a user error if the call fails or
/// the device reports no times.
[[nodiscard]] Result<std::vector<DispatchTime>> dispatchTimes(const Installation& installation,
                                                              const Device& device,
                                                              const Limits& limits,
                                                              const Call& call,
                                                              std::int64_t iterations);

/// Returns true if the profiler or the device caused the error; the call itself may still work.
[[nodiscard]] bool cannotBeTimed(const Error& error);

/// Parses the output of `iree-profile dispatch --dispatch_events --format=jsonl` for `invocations`
/// invocations. Drops the first of several invocations if all ran the same dispatches.
[[nodiscard]] Result<std::vector<DispatchTime>> dispatchTimesFrom(std::string_view jsonLines,
                                                                  std::int64_t invocations);

}  // namespace hone::iree
