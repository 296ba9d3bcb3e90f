#include "split/fit/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "split/fit/cases.h"
#include "split/fit/early_returns.h"
#include "split/fit/ladder/grid_fit.h"
#include "split/fit/ladder/ladder_fit.h"
#include "split/source/cpp_code.h"

namespace hone::split {
namespace {

constexpr const char* kFile = "recommendation.json";

using model::ReductionKind;
using FitLadder = Ladder (*)(const Cases&);

/// Minimum cross-validated gain of a 2-D ladder, which is longer code.
constexpr double kMinTwoDGain = 1.01;

Cases notSkipped(const Cases& cases, const Heuristic& heuristic) {
  Cases kept{cases.limits, cases.caps, {}};
  std::copy_if(cases.all.begin(), cases.all.end(), std::back_inserter(kept.all),
               [&](const Case& one) {
                 return !skips(heuristic.form, heuristic.returns, one.shape->reduction);
               });
  return kept;
}

/// Fits a heuristic. Ladder and early returns depend on each other, so the ladder is fitted again
/// to the operations that the returns do not skip.
Heuristic fit(const Cases& cases, ReductionKind kind, SourceForm form, FitLadder fitLadder) {
  Heuristic first{kind, form, compilersReturns(form, kind), fitLadder(cases), measureRange(cases)};
  first.returns = fitReturns(first, cases);
  const Cases kept = notSkipped(cases, first);
  if (kept.all.size() == cases.all.size()) {
    return first;
  }
  Heuristic again = first;
  again.ladder = fitLadder(kept);
  const auto risk = [&](const Heuristic& heuristic) {
    const Cost cost = costUnder(cases, heuristic);
    return std::pair(cost.unmeasured, cost.regressed);
  };
  return risk(again) <= risk(first) ? again : first;
}

std::vector<Prediction> predictAll(const Heuristic& heuristic, const Cases& cases) {
  std::vector<Prediction> predictions;
  for (const Case& one : cases.all) {
    predictions.push_back(predict(heuristic, *one.shape));
  }
  return predictions;
}

FittedHeuristic fitted(const Cases& cases, ReductionKind kind, SourceForm form,
                       FitLadder fitLadder) {
  FittedHeuristic result;
  result.heuristic = fit(cases, kind, form, fitLadder);
  result.inSample = computeRegret(predictAll(result.heuristic, cases));
  result.codeLines = static_cast<std::int64_t>(ladderCode(result.heuristic).size());
  std::vector<Prediction> crossValidated;
  const Folds folds = makeFolds(cases);
  for (std::size_t fold = 0; folds.count > 1 && fold < folds.count; ++fold) {
    const Heuristic others = fit(outsideFold(cases, folds, fold), kind, form, fitLadder);
    const auto predictions = predictAll(others, inFold(cases, folds, fold));
    crossValidated.insert(crossValidated.end(), predictions.begin(), predictions.end());
  }
  result.crossValidated = computeRegret(crossValidated);
  return result;
}

std::string percentOver(const Regret& regret) {
  return fmt::format("{:.1f} %", 100 * (regret.geomeanRatio - 1));
}

void decide(Recommendation& recommendation) {
  const Regret& one = recommendation.oneD.crossValidated;
  const Regret& two = recommendation.twoD.crossValidated;
  const Regret& oneInSample = recommendation.oneD.inSample;
  const Regret& twoInSample = recommendation.twoD.inSample;
  const std::string figures = fmt::format("cross-validated regret {} with 2-D, {} with 1-D",
                                          percentOver(two), percentOver(one));
  const bool known = two.unknown <= one.unknown && twoInSample.unknown <= oneInSample.unknown;
  const bool safe =
      known && two.regressed <= one.regressed && twoInSample.regressed <= oneInSample.regressed;
  const bool better = two.geomeanRatio * kMinTwoDGain < one.geomeanRatio;
  recommendation.takeTwoD = two.shapes > 0 && safe && better;
  if (two.shapes == 0) {
    recommendation.why = "1-D: too few shapes to cross-validate a 2-D ladder";
  } else if (recommendation.takeTwoD) {
    recommendation.why = fmt::format("2-D: {}; no additional regressions", figures);
  } else if (!better) {
    recommendation.why =
        fmt::format("1-D: {}; the longer 2-D code must gain more than 1 %", figures);
  } else if (!known) {
    recommendation.why = fmt::format(
        "1-D: 2-D decides about {} shapes without a measured time for its decision, 1-D about {}",
        std::max(two.unknown, twoInSample.unknown), std::max(one.unknown, oneInSample.unknown));
  } else {
    recommendation.why =
        fmt::format("1-D: 2-D is predicted to regress {} shapes against the baseline, 1-D {}",
                    std::max(two.regressed, twoInSample.regressed),
                    std::max(one.regressed, oneInSample.regressed));
  }
}

}  // namespace

std::vector<Recommendation> recommend(const SweepResult& sweep, SourceForm form) {
  std::vector<Recommendation> recommendations;
  for (const ReductionKind kind : {ReductionKind::convolution, ReductionKind::matmul}) {
    const Cases cases = collectCases(sweep, kind);
    if (std::all_of(cases.all.begin(), cases.all.end(),
                    [](const Case& one) { return one.shape->limits.empty(); })) {
      continue;
    }
    Recommendation one{
        fitted(cases, kind, form, fitLadder), fitted(cases, kind, form, fitGrid), false, {}};
    decide(one);
    recommendations.push_back(std::move(one));
  }
  return recommendations;
}

std::optional<std::string> reasonToKeepCompilersCode(const FittedHeuristic& fitted) {
  const auto shapes = [](std::int64_t count) {
    return fmt::format("{} {}", count, count == 1 ? "shape" : "shapes");
  };
  if (const auto& counts = fitted.validated) {
    return counts->regressed > 0 ? std::optional(fmt::format("{} regressed in the validation",
                                                             shapes(counts->regressed)))
           : counts->failed > 0
               ? std::optional(fmt::format("{} failed in the validation", shapes(counts->failed)))
           : counts->improved == 0
               ? std::optional<std::string>("no shape improved in the validation")
               : std::nullopt;
  }
  const Regret& predicted = fitted.inSample;
  const bool hasBaseline = predicted.improved + predicted.neutral + predicted.regressed > 0;
  return hasBaseline && predicted.improved == 0
             ? std::optional<std::string>("no shape is predicted to improve")
             : std::nullopt;
}

Result<void> writeRecommendations(const std::filesystem::path& folder,
                                  std::span<const Recommendation> recommendations) {
  return writeFile(folder / kFile, model::toJson(recommendations).dump(2) + "\n");
}

Result<std::vector<Recommendation>> readRecommendations(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  if (!std::filesystem::exists(file)) {
    return userError("{}: file not found; run hone split analyze to create it", file.string());
  }
  const std::string text = HONE_TRY(readFile(file));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return userError("{}: invalid JSON; run hone split analyze to recreate it", file.string());
  }
  auto read = model::recommendationsFrom(json);
  return read ? std::move(read) : within(file.string(), read.error());
}

}  // namespace hone::split
