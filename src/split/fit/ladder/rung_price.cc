#include "split/fit/ladder/rung_price.h"

#include <array>
#include <cmath>

namespace hone::split {
namespace {

/// Prices fall from one that no single shape can pay by a factor of the square root of two, so that
/// ladders of each length are compared.
constexpr std::size_t kPriceCount = 25;
/// Price if there are too few shapes to cross-validate.
constexpr double kDefaultPrice = 64 * kRungCost;
constexpr std::size_t kMinFolds = 3;

double priceAt(std::size_t index) {
  return kRungCost * std::pow(2, static_cast<double>(kPriceCount - 1 - index) / 2);
}

/// Scores within this distance per shape of the best are considered equal.
constexpr double kScoreTolerance = 0.01;

using Scores = std::array<Cost, kPriceCount>;

/// Returns the cross-validated cost at each price.
Scores crossValidated(const Cases& cases, const Folds& folds, const Fitter& fitter) {
  Scores scores{};
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    const Cases others = outsideFold(cases, folds, fold);
    const Cases left = inFold(cases, folds, fold);
    const LadderAt ladderAt = fitter(others);
    for (std::size_t i = 0; i < kPriceCount; ++i) {
      scores[i] += costUnder(left, ladderAt(priceAt(i)));
    }
  }
  return scores;
}

}  // namespace

Ladder fitAtBestPrice(const Cases& cases, const Fitter& fitter) {
  if (cases.all.empty() || cases.limits.empty()) {
    return {};
  }
  const Folds folds = makeFolds(cases);
  if (folds.count < kMinFolds) {
    return fitter(cases)(kDefaultPrice);
  }
  const Scores scores = crossValidated(cases, folds, fitter);
  const double tolerance = kScoreTolerance * static_cast<double>(cases.all.size());
  std::size_t best = 0;
  for (std::size_t i = 1; i < kPriceCount; ++i) {
    // Compares losses without the regression weight: a few regressed shapes next to a boundary
    // would dominate.
    const bool faster = scores[i].loss < scores[best].loss - tolerance;
    const bool safer = scores[i].regressed < scores[best].regressed &&
                       scores[i].loss < scores[best].loss + tolerance;
    best = faster || safer ? i : best;
  }
  return fitter(cases)(priceAt(best));
}

}  // namespace hone::split
