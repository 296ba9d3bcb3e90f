#include "split/report/text_parts.h"

#include <fmt/format.h>

namespace hone::split {

std::string headingText(std::string_view title) {
  const std::string rule(100, '=');
  return fmt::format("{}\n{}\n{}\n\n", rule, title, rule);
}

std::string inMs(double us) {
  const double ms = us / 1000;
  return fmt::format("{:.{}f}", ms, ms >= 10000 ? 0 : ms >= 1 ? 2 : ms >= 0.01 ? 4 : 6);
}

std::string speedupText(const std::optional<double>& speedup) {
  return speedup ? fmt::format("{:.2f}x", *speedup) : "N.A.";
}

std::string groupedText(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) {
    text.insert(at - 3, 1, ',');
  }
  return text;
}

std::string countText(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace hone::split
