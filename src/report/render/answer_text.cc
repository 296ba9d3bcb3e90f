#include "report/render/answer_text.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace hone::report {

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

std::string textOf(std::optional<stats::Verdict> verdict) {
  return verdict ? std::string(nameOf(*verdict)) : "";
}

std::string sureness(std::optional<stats::Verdict> verdict) {
  if (verdict == stats::Verdict::improved) {
    return "surely faster: the whole interval is beyond the noise of this run";
  }
  if (verdict == stats::Verdict::regressed) {
    return "surely slower: the whole interval is beyond the noise of this run";
  }
  return verdict == stats::Verdict::neutral ? "the same within the margin" : "too noisy to tell";
}

}  // namespace hone::report
