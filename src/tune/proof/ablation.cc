#include "tune/proof/ablation.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::tune {
namespace {

/// Limit of ingredients tested separately, to bound the time.
constexpr std::size_t kMaxSeparate = 8;
/// Fewer rounds are not conclusive.
constexpr std::size_t kMinRounds = 5;

}  // namespace

std::vector<Ablation> ablationsFor(const Recipe& recipe, std::span<const std::size_t> kept) {
  std::vector<std::size_t> order(kept.begin(), kept.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return recipe.ingredients[a].expectedGain > recipe.ingredients[b].expectedGain;
  });
  const std::size_t alone = std::min(order.size(), kMaxSeparate);
  const auto small = order.begin() + static_cast<std::ptrdiff_t>(alone);
  std::sort(order.begin(), small);  // by index: gains are measured again when a run is resumed
  std::sort(small, order.end());
  std::vector<Ablation> ablations;
  for (auto one = order.begin(); one != small; ++one) {
    ablations.push_back({recipe.ingredients[*one], {*one}});
  }
  if (small != order.end()) {
    Ablation rest;
    rest.what.name = "the small ones";
    rest.members.assign(small, order.end());
    for (const std::size_t one : rest.members) {
      rest.what.expectedGain += recipe.ingredients[one].expectedGain;
    }
    ablations.push_back(std::move(rest));
  }
  return ablations;
}

std::vector<std::size_t> without(std::vector<std::size_t> all, const Ablation& ablation) {
  for (const std::size_t one : ablation.members) {
    std::erase(all, one);
  }
  return all;
}

bool helps(const Ingredient& ingredient, const engine::Finding& with,
           const engine::Finding& missing, const stats::CompareOptions& options) {
  const std::size_t rounds = std::min(with.roundTimesNs.size(), missing.roundTimesNs.size());
  // After a failure, the times are not from the same rounds.
  const bool failed = with.outcome != model::Outcome::ok || missing.outcome != model::Outcome::ok;
  if (failed || rounds < kMinRounds) {
    return true;
  }
  const auto base = std::span(missing.roundTimesNs).first(rounds);
  const auto comparison =
      stats::compare({base, std::span(with.roundTimesNs).first(rounds), base}, options);
  switch (comparison.verdict) {
    case stats::Verdict::improved:
      return true;
    case stats::Verdict::regressed:
      return false;
    default:
      return ingredient.expectedGain < 2 * options.margin ||
             comparison.speedup.high > 1 + options.margin;
  }
}

std::string explainNoGain(const engine::Finding& finding) {
  if (finding.outcome != model::Outcome::ok && finding.outcome != model::Outcome::tooSlow) {
    return fmt::format("{}: {}", nameOf(finding.outcome), finding.message);
  }
  if (!finding.comparison) {
    return "budget used up before it was measured";
  }
  const stats::Interval& speedup = finding.comparison->speedup;
  const std::string why = stats::explainNoGain(*finding.comparison);
  return fmt::format("{:.2f}x as fast (95 % CI {:.2f}-{:.2f}){}", speedup.estimate, speedup.low,
                     speedup.high, why.empty() ? "" : fmt::format(", {}", why));
}

}  // namespace hone::tune
