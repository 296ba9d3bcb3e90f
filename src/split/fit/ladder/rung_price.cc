#include "split/fit/ladder/rung_price.h"

#include <array>
#include <optional>
#include <utility>

namespace hone::split {
namespace {

constexpr std::array kPrices = {64 * kRungCost, 32 * kRungCost, 16 * kRungCost, 8 * kRungCost,
                                4 * kRungCost,  2 * kRungCost,  kRungCost};
/// Scores within this distance per shape of the best are considered equal.
constexpr double kScoreTolerance = 0.01;

using Scores = std::array<double, kPrices.size()>;

/// Returns the cross-validated loss at each price. Uses the loss without the regression weight: a
/// few regressed shapes next to a boundary would dominate.
Scores crossValidated(const Cases& cases, const Fitter& fitter) {
  Scores scores{};
  const Folds folds = makeFolds(cases);
  for (std::size_t fold = 0; folds.count > 1 && fold < folds.count; ++fold) {
    const Cases others = outsideFold(cases, folds, fold);
    const Cases left = inFold(cases, folds, fold);
    const LadderAt ladderAt = fitter(others);
    for (std::size_t i = 0; i < kPrices.size(); ++i) {
      scores[i] += costUnder(left, ladderAt(kPrices[i])).loss;
    }
  }
  return scores;
}

}  // namespace

Ladder fitAtBestPrice(const Cases& cases, const Fitter& fitter) {
  if (cases.all.empty() || cases.limits.empty()) {
    return {};
  }
  struct Best {
    Ladder ladder;
    std::int64_t regressed = 0;
    double score = 0;
  };
  std::optional<Best> best;
  const LadderAt ladderAt = fitter(cases);
  const Scores scores = crossValidated(cases, fitter);
  const double tolerance = kScoreTolerance * static_cast<double>(cases.all.size());
  for (std::size_t i = 0; i < kPrices.size(); ++i) {
    Ladder ladder = ladderAt(kPrices[i]);
    const std::int64_t regressed = costUnder(cases, ladder).regressed;
    if (!best || regressed < best->regressed ||
        (regressed == best->regressed && scores[i] < best->score - tolerance)) {
      best = {std::move(ladder), regressed, scores[i]};
    }
  }
  return best->ladder;
}

}  // namespace hone::split
