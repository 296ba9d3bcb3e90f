#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "iree/compile/installation.h"
#include "iree/run/device.h"
#include "iree/run/execution.h"

namespace hone::iree {

/// The time that a program spends in one of its dispatches.
struct DispatchTime {
  std::string name;        ///< as the compiler made it: "main_dispatch_0_matmul_512x768x1024_f32"
  std::int64_t calls = 0;  ///< in one invocation of the function
  double totalNs = 0;      ///< in one invocation, all calls together: the median of `invocationNs`
  /// The same, but for all workers together: above `totalNs` where they work in parallel. 0 where
  /// the device does not tell.
  double busyNs = 0;
  std::vector<double> invocationNs;  ///< all calls together, for every invocation measured
};

/// Times every dispatch of a function in `iterations` invocations of one fresh process, after one
/// that is not counted, in the order in which they first run. Wall times of the runtime's own
/// profiler: on CPU devices from the first workgroup's start to the last one's end, on others by
/// the device's timestamps. Dispatches that overlap are counted in full, so the sum can be above
/// the function's time. A call that fails, and a device that gives no times, are user errors.
[[nodiscard]] Result<std::vector<DispatchTime>> dispatchTimes(const Installation& installation,
                                                              const Device& device,
                                                              const Limits& limits,
                                                              const Call& call,
                                                              std::int64_t iterations);

/// Whether that is an error of the profiler or the device: the call itself may run.
[[nodiscard]] bool cannotBeTimed(const Error& error);

/// Reads what `iree-profile dispatch --dispatch_events --format=jsonl` prints of `invocations`
/// invocations; the first is left out where there are more and all did the same.
[[nodiscard]] Result<std::vector<DispatchTime>> dispatchTimesFrom(std::string_view jsonLines,
                                                                  std::int64_t invocations);

}  // namespace hone::iree
