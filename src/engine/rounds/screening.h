#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "iree/run/device.h"
#include "model/result/sample.h"

namespace hone::engine {

// The screening rule of all commands: a fresh process warms up and takes at least three samples. A
// candidate is eliminated (`too_slow`) if its minimum exceeds kScreenFactor times the best minimum
// so far. The first call of a process includes page faults and lazy initialization, so it is not
// counted.

inline constexpr double kScreenFactor = 1.5;
inline constexpr std::int64_t kScreenSamples = 3;

/// Returns the minimum wall or CPU time of the samples, or nullopt if there are none.
[[nodiscard]] std::optional<double> screenTime(std::span<const model::Sample> samples,
                                               iree::RankBy rankBy);

/// Returns true if a candidate with this time is eliminated; always false without a best time.
[[nodiscard]] bool isTooSlow(double screenNs, std::optional<double> bestNs);

/// Describes an elimination for the trial's message.
[[nodiscard]] std::string tooSlowMessage(double screenNs, double bestNs);

/// Returns the timeout of a screening process: more than twice what a candidate at kScreenFactor
/// needs. `sampleNs` is the time of a sample of the best candidate. A stopped process has no
/// screening time.
[[nodiscard]] std::chrono::milliseconds screenTimeout(double sampleNs);

}  // namespace hone::engine
