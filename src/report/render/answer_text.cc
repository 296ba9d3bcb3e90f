#include "report/render/answer_text.h"

#include <fmt/format.h>

#include <limits>

#include "base/text.h"

namespace hone::report {

using nlohmann::json;

std::string speedupText(const stats::Interval& speedup) {
  return fmt::format("{:.2f}x (95 % interval {:.2f} – {:.2f})", speedup.estimate, speedup.low,
                     speedup.high);
}

std::string asFast(double speedup) {
  return speedup >= 1 ? fmt::format("{:.2f}x as fast", speedup)
                      : fmt::format("{:.2f}x as slow", 1 / speedup);
}

std::string timeText(double nanoseconds) {
  std::string text = humanTime(nanoseconds);
  if (text.ends_with(" us")) {  // terminals get the plain letter
    text.replace(text.size() - 2, 1, "µ");
  }
  return text;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

std::string sureness(const std::string& verdict) {
  if (verdict == "improved") {
    return "surely faster: the whole interval is beyond the noise of this run";
  }
  if (verdict == "regressed") {
    return "surely slower: the whole interval is beyond the noise of this run";
  }
  return verdict == "neutral" ? "the same within the margin" : "too noisy to tell";
}

std::optional<stats::Interval> intervalFrom(const json& json) {
  if (json.is_array() && json.size() == 3 && json[0].is_number() && json[1].is_number() &&
      json[2].is_number()) {
    return stats::Interval{json[0], json[1], json[2]};
  }
  const char* middle = json.is_object() && json.contains("estimate") ? "estimate" : "speedup";
  const auto& low = memberOf(json, "low");
  const auto& estimate = memberOf(json, middle);
  const auto& high = memberOf(json, "high");
  if (!low.is_number() || !estimate.is_number() || !high.is_number()) {
    return std::nullopt;
  }
  return stats::Interval{low, estimate, high};
}

const json& memberOf(const json& json, const char* name) {
  static const nlohmann::json kNull;
  if (!json.is_object()) {
    return kNull;
  }
  const auto found = json.find(name);
  return found == json.end() ? kNull : *found;
}

double numberIn(const json& json, const char* name) {
  const auto& member = memberOf(json, name);
  return member.is_number() ? member.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string textIn(const json& json, const char* name) {
  const auto& member = memberOf(json, name);
  return member.is_string() ? member.get<std::string>() : "";
}

}  // namespace hone::report
