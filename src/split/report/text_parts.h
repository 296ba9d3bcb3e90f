#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone::split {

/// Returns a heading between two lines of "=", followed by a blank line.
[[nodiscard]] std::string headingText(std::string_view title);
/// Returns milliseconds without unit: "157.50"; more digits for small times, none after the point
/// for long ones.
[[nodiscard]] std::string inMs(double us);
/// Returns "2.50x"; "N.A." if it was not measured.
[[nodiscard]] std::string speedupText(const std::optional<double>& speedup);
/// Returns the number with thousands separators: "1,048,576".
[[nodiscard]] std::string groupedText(std::int64_t number);
/// Returns "1 shape", "2 shapes".
[[nodiscard]] std::string countText(std::int64_t count, std::string_view what);

}  // namespace hone::split
