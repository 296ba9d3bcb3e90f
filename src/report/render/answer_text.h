#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "stats/compare.h"

namespace hone::report {

/// "1.35x (95 % interval 1.30 – 1.39)".
[[nodiscard]] std::string speedupText(const stats::Interval& speedup);
/// "1.35x as fast", or "1.20x as slow" for a speedup below 1.
[[nodiscard]] std::string asFast(double speedup);
/// "301 µs": a time as the axes of a page say it.
[[nodiscard]] std::string timeText(double nanoseconds);
/// "1 operation", "3 operations".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);
/// What a verdict means, for people: "surely faster", "too noisy to tell".
[[nodiscard]] std::string sureness(std::optional<stats::Verdict> verdict);
/// Its name; "" where there is none.
[[nodiscard]] std::string textOf(std::optional<stats::Verdict> verdict);

}  // namespace hone::report
