#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "stats/compare.h"

namespace hone::report {

/// Returns "1.35x (95 % CI 1.30–1.39)".
[[nodiscard]] std::string speedupText(const stats::Interval& speedup);
/// Returns "1.35x as fast", or "1.20x as slow" for a speedup below 1.
[[nodiscard]] std::string asFast(double speedup);
/// Returns "301 µs", as on the axes of a page.
[[nodiscard]] std::string timeText(double nanoseconds);
/// Returns "1 operation", "3 operations".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);
/// Explains a verdict: "faster: …", "ambiguous: …".
[[nodiscard]] std::string explainVerdict(std::optional<stats::Verdict> verdict);
/// Returns the name of a verdict; "" if there is none.
[[nodiscard]] std::string formatVerdict(std::optional<stats::Verdict> verdict);

}  // namespace hone::report
