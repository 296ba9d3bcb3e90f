#include "split/fit/ladder/rung_price.h"

#include <array>
#include <cmath>
#include <vector>

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

/// Cost of each case under a ladder fitted to other cases.
using HeldOutCosts = std::vector<Cost>;
using Scores = std::array<HeldOutCosts, kPriceCount>;

/// Returns the cross-validated costs at each price, with the cases in the same order.
Scores crossValidate(const Cases& cases, const Folds& folds, const Fitter& fitter) {
  Scores scores;
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    const Cases others = outsideFold(cases, folds, fold);
    const Cases left = inFold(cases, folds, fold);
    const LadderAt ladderAt = fitter(others);
    for (std::size_t i = 0; i < kPriceCount; ++i) {
      const Ladder ladder = ladderAt(priceAt(i));
      for (const Case& one : left.all) {
        scores[i].push_back(costUnder(left, ladder, one));
      }
    }
  }
  return scores;
}

/// Returns true if the costs are lower, or equal with fewer shapes that regress or have no measured
/// time. Losses are compared on the shapes that were measured under both, without the regression
/// weight: a few regressed shapes next to a boundary would dominate.
bool isBetter(const HeldOutCosts& costs, const HeldOutCosts& others) {
  double loss = 0;
  double tolerance = 0;
  std::int64_t risky = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    risky += costs[i].regressed + costs[i].unmeasured - others[i].regressed - others[i].unmeasured;
    if (costs[i].unmeasured + others[i].unmeasured == 0) {
      loss += costs[i].loss - others[i].loss;
      tolerance += kScoreTolerance;
    }
  }
  return loss < -tolerance || (risky < 0 && loss < tolerance);
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
  const Scores scores = crossValidate(cases, folds, fitter);
  std::size_t best = 0;
  for (std::size_t i = 1; i < kPriceCount; ++i) {
    best = isBetter(scores[i], scores[best]) ? i : best;
  }
  return fitter(cases)(priceAt(best));
}

}  // namespace hone::split
