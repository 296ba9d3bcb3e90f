#include "split/report/validation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "split/report/text_parts.h"
#include "stats/summary.h"

namespace hone::split {
namespace {

using stats::Verdict;

constexpr std::size_t kInnerWidth = 74;  ///< characters between the sides of the box
constexpr std::size_t kMaxListedRegressions = 20;

struct Totals {
  double baselineUs = 0, optimizedUs = 0;
  double geomeanSpeedup = 1;
};

Totals computeTotals(const Validation& validation) {
  Totals totals;
  std::vector<double> speedups;
  for (const ValidatedShape& shape : validation.shapes) {
    totals.baselineUs += shape.baselineUs;
    totals.optimizedUs += shape.optimizedUs;
    speedups.push_back(shape.baselineUs / shape.optimizedUs);
  }
  totals.geomeanSpeedup = stats::geometricMean(speedups);
  return totals;
}

class Box {
 public:
  Box() { rule("┌", "┐"); }
  void title(std::string_view text) { line(fmt::format("{:20}{}", "", text)); }
  void parting() { rule("├", "┤"); }
  /// Right-aligns the values in one column, directly followed by `after`.
  void row(std::string_view label, std::string_view value, std::string_view after = "") {
    line(fmt::format(" {:<22}{:>10}{}", label, value, after));
  }
  [[nodiscard]] std::string closed() {
    rule("└", "┘");
    return std::move(text_);
  }

 private:
  void line(std::string_view content) { text_ += fmt::format("│{:<{}}│\n", content, kInnerWidth); }
  void rule(std::string_view left, std::string_view right) {
    text_ += left;
    for (std::size_t i = 0; i < kInnerWidth; ++i) {
      text_ += "─";
    }
    text_ += fmt::format("{}\n", right);
  }

  std::string text_;
};

void addRuntime(Box& box, std::string_view label, double us) {
  constexpr double kMinuteUs = 60e6;
  box.row(label, inMs(us),
          us < kMinuteUs / 10 ? " ms" : fmt::format(" ms  (~{:.1f} min)", us / kMinuteUs));
}

std::string boxText(const Validation& validation) {
  const Totals totals = computeTotals(validation);
  const auto tests = static_cast<std::int64_t>(validation.shapes.size());
  const auto counted = [&](Box& box, std::string_view label, Verdict verdict) {
    const std::int64_t count = validation.count(verdict);
    box.row(
        label, std::to_string(count),
        fmt::format(" ({:5.1f}%)", 100 * static_cast<double>(count) / static_cast<double>(tests)));
  };
  Box box;
  box.title("BASELINE vs OPTIMIZED");
  box.parting();
  box.row("Total Tests:", std::to_string(tests));
  addRuntime(box, "Baseline Runtime:", totals.baselineUs);
  addRuntime(box, "Optimized Runtime:", totals.optimizedUs);
  box.row("Overall Speedup:", fmt::format("{:.2f}", totals.baselineUs / totals.optimizedUs), "x");
  box.row("Overall Improvement:",
          fmt::format("{:.2f}", 100 * (1 - totals.optimizedUs / totals.baselineUs)), "%");
  box.row("Geometric Mean:", fmt::format("{:.2f}", totals.geomeanSpeedup), "x");
  box.parting();
  counted(box, "Tests Improved:", Verdict::improved);
  counted(box, "Tests Neutral (±5%):", Verdict::neutral);
  counted(box, "Tests Regressed:", Verdict::regressed);
  if (validation.count(Verdict::ambiguous) > 0) {
    counted(box, "Tests Ambiguous:", Verdict::ambiguous);
  }
  return box.closed();
}

std::string verdictText(const Validation& validation) {
  if (const std::int64_t regressed = validation.count(Verdict::regressed); regressed > 0) {
    return fmt::format("⚠ {} regressed: not ready\n", countText(regressed, "shape"));
  }
  if (validation.failed > 0) {
    return fmt::format("⚠ {} failed with the recommended code: not ready\n",
                       countText(validation.failed, "shape"));
  }
  if (validation.count(Verdict::improved) == 0) {
    return "no gain; keep the compiler's code\n";
  }
  return "✅ EXCELLENT RESULTS - READY FOR PRODUCTION\n";
}

std::string notesText(const Validation& validation) {
  std::string text;
  if (validation.withoutBaseline > 0) {
    text += fmt::format("Omitted: {} without a baseline.\n",
                        countText(validation.withoutBaseline, "shape"));
  }
  if (validation.failed > 0) {
    text += fmt::format("Omitted: {} without a time for the recommended code.\n",
                        countText(validation.failed, "shape"));
  }
  if (const std::int64_t ambiguous = validation.count(Verdict::ambiguous); ambiguous > 0) {
    text += fmt::format("Ambiguous: {}; more rounds may decide.\n", countText(ambiguous, "shape"));
  }
  return text;
}

/// Lists the regressed shapes, largest regression first.
std::string regressionsText(const Validation& validation) {
  std::vector<ValidatedShape> shapes;
  std::copy_if(validation.shapes.begin(), validation.shapes.end(), std::back_inserter(shapes),
               [](const ValidatedShape& shape) { return shape.verdict == Verdict::regressed; });
  const auto speedup = [](const ValidatedShape& shape) {
    return shape.baselineUs / shape.optimizedUs;
  };
  std::stable_sort(
      shapes.begin(), shapes.end(),
      [&](const ValidatedShape& a, const ValidatedShape& b) { return speedup(a) < speedup(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min(shapes.size(), kMaxListedRegressions); ++i) {
    const auto& interval = shapes[i].speedup;
    text +=
        fmt::format("  {:.3f}x{}  {} ms -> {} ms  {}\n", speedup(shapes[i]),
                    interval ? fmt::format(" [{:.3f}, {:.3f}]", interval->low, interval->high) : "",
                    inMs(shapes[i].baselineUs), inMs(shapes[i].optimizedUs), shapes[i].arguments);
  }
  if (shapes.size() > kMaxListedRegressions) {
    text += fmt::format("  and {} more\n", shapes.size() - kMaxListedRegressions);
  }
  return text.empty() ? text : "Regressed:\n" + text;
}

}  // namespace

std::string validationText(const std::optional<Validation>& validation) {
  if (!validation) {
    return "not validated yet; run hone split test-optimized <workload> to measure the code of "
           "Part 4\n";
  }
  if (validation->shapes.empty()) {
    return "not validated: no shape has times for both the compiler's and the recommended code\n" +
           notesText(*validation);
  }
  return boxText(*validation) + "\n" + verdictText(*validation) + notesText(*validation) +
         regressionsText(*validation);
}

}  // namespace hone::split
