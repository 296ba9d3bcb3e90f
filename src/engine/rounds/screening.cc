#include "engine/rounds/screening.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::engine {
namespace {

/// Time for starting a process, reading its inputs and a slow first call.
constexpr double kStartNs = 2e9;
/// Slowdown on a loaded machine.
constexpr double kLoadFactor = 2;

}  // namespace

std::optional<double> screenTime(std::span<const model::Sample> samples, iree::RankBy rankBy) {
  std::optional<double> minimum;
  for (const model::Sample& sample : samples) {
    const double ns = rankBy == iree::RankBy::cpu ? sample.cpuNs : sample.wallNs;
    minimum = std::min(minimum.value_or(ns), ns);
  }
  return minimum;
}

bool isTooSlow(double screenNs, std::optional<double> bestNs) {
  return bestNs && screenNs > kScreenFactor * *bestNs;
}

std::chrono::milliseconds screenTimeout(double sampleNs) {
  constexpr double kCalls = kScreenSamples + 1;  // with the warm-up
  return std::chrono::milliseconds(static_cast<std::int64_t>(
      (kStartNs + kLoadFactor * kCalls * kScreenFactor * sampleNs) / 1e6));
}

std::string tooSlowMessage(double screenNs, double bestNs) {
  return fmt::format("{:.2f}x the best so far in screening", screenNs / bestNs);
}

}  // namespace hone::engine
