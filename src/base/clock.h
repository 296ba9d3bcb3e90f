#pragma once

#include <cstdint>
#include <string>

namespace hone {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

/// Monotonic nanoseconds, for differences only.
[[nodiscard]] std::int64_t nowNs();
/// CPU time of this process alone, without its children.
[[nodiscard]] std::int64_t ownCpuNs();
/// CPU time of the thread that asks.
[[nodiscard]] std::int64_t threadCpuNs();
/// Milliseconds since 1970, for records that need more than a second's precision.
[[nodiscard]] std::int64_t utcMs();
/// UTC now as 2026-11-15T20:15:14Z, for records.
[[nodiscard]] std::string utcNow();

}  // namespace hone
