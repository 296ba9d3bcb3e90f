#include "report/render/answer_text.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace hone::report {

std::string speedupText(const stats::Interval& speedup) {
  return fmt::format("{:.2f}x (95 % CI {:.2f}–{:.2f})", speedup.estimate, speedup.low,
                     speedup.high);
}

std::string asFast(double speedup) {
  return speedup >= 1 ? fmt::format("{:.2f}x as fast", speedup)
                      : fmt::format("{:.2f}x as slow", 1 / speedup);
}

std::string timeText(double nanoseconds) {
  std::string text = humanTime(nanoseconds);
  if (text.ends_with(" us")) {  // humanTime() writes ASCII for terminals
    text.replace(text.size() - 2, 1, "µ");
  }
  return text;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

std::string formatVerdict(std::optional<stats::Verdict> verdict) {
  return verdict ? std::string(nameOf(*verdict)) : "";
}

std::string explainVerdict(std::optional<stats::Verdict> verdict) {
  if (verdict == stats::Verdict::improved) {
    return "faster: the whole interval is above the noise floor (the baseline against itself)";
  }
  if (verdict == stats::Verdict::regressed) {
    return "slower: the whole interval is below the noise floor (the baseline against itself)";
  }
  return verdict == stats::Verdict::neutral ? "no change within the margin"
                                            : "ambiguous: too noisy to decide";
}

}  // namespace hone::report
