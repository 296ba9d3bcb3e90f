#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "iree/run/device.h"
#include "model/result/sample.h"

namespace hone::engine {

// The screening rule, the same for every command: a fresh process warms up and takes at least three
// samples; a candidate is eliminated (`too_slow`) if the minimum of them is more than kScreenFactor
// times the best minimum so far. The first call of a process includes page faults and lazy
// initialization, so it never counts.

inline constexpr double kScreenFactor = 1.5;
inline constexpr std::int64_t kScreenSamples = 3;

/// Returns the minimum of the samples by the time that ranks; nothing if there are none.
[[nodiscard]] std::optional<double> screenTime(std::span<const model::Sample> samples,
                                               iree::RankBy rankBy);

/// Returns true if a candidate with this time is eliminated; never without a best time.
[[nodiscard]] bool isTooSlow(double screenNs, std::optional<double> bestNs);

/// Describes an elimination for the trial's message.
[[nodiscard]] std::string tooSlowMessage(double screenNs, double bestNs);

/// Returns how long a process that screens may run: a candidate at the factor needs less than half
/// of it. `sampleNs` is the time of a sample at the best candidate's speed. A process that is
/// stopped then leaves no time.
[[nodiscard]] std::chrono::milliseconds screenPatience(double sampleNs);

}  // namespace hone::engine
