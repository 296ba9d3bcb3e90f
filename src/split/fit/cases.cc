#include "split/fit/cases.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "split/fit/simulate.h"
#include "split/sweep/validation/validation.h"

namespace hone::split {
namespace {

constexpr double kNegligibleRatio = 1.02;
constexpr double kRegressionWeight = 10;
constexpr std::int64_t kMaxCap = 16;
constexpr std::size_t kMaxFolds = 5;

/// Returns the cost of splitting with a limit, or (nullopt) of not splitting.
Cost computeCost(const ShapeResult& shape, double bestUs, std::optional<std::int64_t> limit) {
  const auto timeUs = measuredUs(shape, limit);
  if (!timeUs) {
    return {.unmeasured = 1};
  }
  const double ratio = *timeUs / bestUs;
  const bool regressed = shape.baseline && compareTimes(shape.baseline->timeUs(), *timeUs) ==
                                               stats::Verdict::regressed;
  const double loss = ratio < kNegligibleRatio ? 0 : std::log(ratio);
  return {.loss = loss,
          .value = loss * (regressed ? kRegressionWeight : 1),
          .regressed = regressed ? 1 : 0};
}

Case makeCase(const Cases& cases, const ShapeResult& shape) {
  const model::Reduction& reduction = shape.reduction;
  const double best = *bestUs(shape);
  Case one{&shape, reduction.outputSize(), reduction.reductionSize(), {}, {}, {}};
  for (const std::int64_t limit : cases.limits) {
    one.limitCosts.push_back(
        computeCost(shape, best, limit == kNoSplit ? std::nullopt : std::optional(limit)));
  }
  for (const std::int64_t cap : cases.caps) {
    const auto limit =
        cap == kNoSplit ? std::nullopt : std::optional(std::min(cap, reduction.startSize()));
    one.capCosts.push_back(computeCost(shape, best, limit));
  }
  one.skipCost = computeCost(shape, best, std::nullopt);
  return one;
}

std::size_t indexOf(const std::vector<std::int64_t>& ascending, std::int64_t value) {
  return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), value) -
                                  ascending.begin());
}

Cases select(const Cases& cases, const Folds& folds, std::size_t fold, bool inside) {
  Cases some{cases.limits, cases.caps, {}};
  for (std::size_t i = 0; i < cases.all.size(); ++i) {
    if ((folds.ofCase[i] == fold) == inside) {
      some.all.push_back(cases.all[i]);
    }
  }
  return some;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  loss += other.loss;
  value += other.value;
  regressed += other.regressed;
  unmeasured += other.unmeasured;
  return *this;
}

Cases collectCases(const SweepResult& sweep, model::ReductionKind kind) {
  Cases cases{sweep.limits, {}, {}};
  std::copy_if(sweep.limits.begin(), sweep.limits.end(), std::back_inserter(cases.caps),
               [](std::int64_t limit) { return limit < kMaxCap; });
  cases.caps.push_back(kMaxCap);
  for (const ShapeResult& shape : sweep.shapes) {
    const bool measured = shape.noSplit || !shape.limits.empty();
    if (shape.reduction.kind == kind && !shape.reduction.sizes.empty() && measured) {
      cases.all.push_back(makeCase(cases, shape));
    }
  }
  std::stable_sort(cases.all.begin(), cases.all.end(), [](const Case& a, const Case& b) {
    return std::tie(a.outputSize, a.reductionSize, a.shape->arguments) <
           std::tie(b.outputSize, b.reductionSize, b.shape->arguments);
  });
  return cases;
}

MeasuredRange measureRange(const Cases& cases) {
  MeasuredRange range;
  for (const Case& one : cases.all) {
    const bool first = range.shapes++ == 0;
    range.minOutput = first ? one.outputSize : std::min(range.minOutput, one.outputSize);
    range.maxOutput = std::max(range.maxOutput, one.outputSize);
    range.minReduction =
        first ? one.reductionSize : std::min(range.minReduction, one.reductionSize);
    range.maxReduction = std::max(range.maxReduction, one.reductionSize);
  }
  return range;
}

Cost costUnder(const Cases& cases, const Ladder& ladder, const Case& one) {
  for (const Band& band : ladder.bands) {
    if (one.outputSize >= band.outputBelow) {
      continue;
    }
    const auto step = std::find_if(band.steps.begin(), band.steps.end(), [&](const Step& step) {
      return one.reductionSize < step.reductionBelow;
    });
    const std::int64_t limit = step == band.steps.end() ? band.limit : step->limit;
    return one.limitCosts[indexOf(cases.limits, limit)];
  }
  return one.capCosts[indexOf(cases.caps, ladder.cap)];
}

Cost costUnder(const Cases& cases, const Ladder& ladder) {
  Cost total;
  for (const Case& one : cases.all) {
    total += costUnder(cases, ladder, one);
  }
  return total;
}

Cost costUnder(const Cases& cases, const Heuristic& heuristic) {
  Cost total;
  for (const Case& one : cases.all) {
    const bool skipped = skips(heuristic.form, heuristic.returns, one.shape->reduction);
    total += skipped ? one.skipCost : costUnder(cases, heuristic.ladder, one);
  }
  return total;
}

Folds makeFolds(const Cases& cases) {
  Folds folds;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < cases.all.size(); ++i) {
    const bool isNew = i == 0 || cases.all[i].outputSize != cases.all[i - 1].outputSize ||
                       cases.all[i].reductionSize != cases.all[i - 1].reductionSize;
    distinct += isNew ? 1 : 0;
    folds.ofCase.push_back((distinct - 1) % kMaxFolds);
  }
  folds.count = std::min(distinct, kMaxFolds);
  return folds;
}

Cases inFold(const Cases& cases, const Folds& folds, std::size_t fold) {
  return select(cases, folds, fold, true);
}

Cases outsideFold(const Cases& cases, const Folds& folds, std::size_t fold) {
  return select(cases, folds, fold, false);
}

}  // namespace hone::split
