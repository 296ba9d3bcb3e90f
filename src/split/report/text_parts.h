#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone::split {

/// A part's heading between two lines of "=", with a blank line below.
[[nodiscard]] std::string headingText(std::string_view title);
/// Milliseconds without their unit: "157.50"; more digits for small times, no point in long ones.
[[nodiscard]] std::string inMs(double us);
/// "1,048,576".
[[nodiscard]] std::string groupedText(std::int64_t number);
/// "1 shape", "2 shapes".
[[nodiscard]] std::string countText(std::int64_t count, std::string_view what);

}  // namespace hone::split
