#include "split/merge/merge_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "split/report/analysis_text.h"
#include "split/report/text_parts.h"

namespace hone::split {
namespace {

std::string devicesText(const MergedAnalysis& analysis) {
  const MergedSweep& merged = analysis.merged;
  const SweepResult& first = merged.devices.front().sweep;
  std::string text =
      fmt::format("{} devices, weighted alike: {} and limits {} measured on all of them.\n",
                  merged.devices.size(), countText(std::ssize(first.shapes), "shape"),
                  fmt::join(first.limits, ", "));
  if (merged.omittedShapes > 0) {
    text += fmt::format("Omitted: {} not measured on every device.\n",
                        countText(merged.omittedShapes, "shape"));
  }
  if (!merged.omittedLimits.empty()) {
    text += fmt::format("Omitted: limits {}, not swept on every device.\n",
                        fmt::join(merged.omittedLimits, ", "));
  }
  return text + "\n";
}

std::string regretLine(std::string_view what, const Regret& regret) {
  std::string text = fmt::format("  {:<28}{:>8}", what, regretPercent(regret));
  if (regret.shapes > 0) {
    text += fmt::format(", worst shape {:.2f}x", regret.worstRatio);
  }
  if (regret.improved + regret.neutral + regret.regressed > 0) {
    text += fmt::format("; vs baseline {:.2f}x: {} improved, {} neutral, {} regressed",
                        regret.speedup, regret.improved, regret.neutral, regret.regressed);
  }
  if (regret.unknown > 0) {
    text += fmt::format("; {} not measured", countText(regret.unknown, "shape"));
  }
  return text + "\n";
}

std::string regretsText(const MergedAnalysis& analysis) {
  std::string text = "Regret: time over the best measured limit of each shape, geometric mean.\n\n";
  for (const DeviceRegret& one : analysis.regrets) {
    text += fmt::format("{}, {}s:\n", one.device, model::nameOf(one.kind));
    text += regretLine("ladder for all devices:", one.merged);
    text += regretLine("ladder for this device:", one.own);
    text += regretLine("the compiler's default:", one.baseline);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string regretPercent(const Regret& regret) {
  return regret.shapes > 0 ? fmt::format("{:.1f} %", 100 * (regret.geomeanRatio - 1)) : "N.A.";
}

std::string mergedText(const MergedAnalysis& analysis) {
  std::string text = devicesText(analysis);
  text += headingText("DEVICES");
  text += regretsText(analysis);
  for (std::size_t i = 0; i < analysis.rankings.size(); ++i) {
    const DeviceSweep& device = analysis.merged.devices[i];
    text += headingText(fmt::format("PART 1: PERFORMANCE SUMMARY BY LIMIT - {}", device.device));
    text += rankingText(analysis.rankings[i], device.sweep.shapes.size());
  }
  text += comparisonPartsText(analysis.all);
  text += headingText("PART 6: OPTIMIZED CONFIGURATION - VALIDATED PERFORMANCE");
  text +=
      "not validated: copy recommendation.json into the results folder of each device and run hone "
      "split test-optimized <workload> there\n";
  return text;
}

}  // namespace hone::split
