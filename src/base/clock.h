#pragma once

#include <cstdint>
#include <string>

namespace hone {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

/// Returns monotonic nanoseconds; only differences are meaningful.
[[nodiscard]] std::int64_t nowNs();
/// Returns the CPU time of this process, excluding its children.
[[nodiscard]] std::int64_t ownCpuNs();
/// Returns the CPU time of the calling thread.
[[nodiscard]] std::int64_t threadCpuNs();
/// Returns milliseconds since the Unix epoch, for records that need sub-second precision.
[[nodiscard]] std::int64_t utcMs();
/// Returns the current UTC time as 2026-11-15T20:15:14Z, for records.
[[nodiscard]] std::string utcNow();

}  // namespace hone
