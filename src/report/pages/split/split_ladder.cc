#include "report/pages/split/split_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::FittedHeuristic;
using model::Heuristic;
using model::Recommendation;
using model::SplitResult;

constexpr double kEdge = std::numeric_limits<double>::infinity();

/// Converts a ladder to one region of the plot per limit.
std::vector<Region> toRegions(const model::Ladder& ladder) {
  std::vector<Region> regions;
  double left = -kEdge;
  for (const model::Band& band : ladder.bands) {
    const auto right = static_cast<double>(band.outputBelow);
    double bottom = -kEdge;
    for (const model::Step& step : band.steps) {
      const auto top = static_cast<double>(step.reductionBelow);
      regions.push_back({left, right, bottom, top, fmt::format("limit {}", step.limit)});
      bottom = top;
    }
    regions.push_back({left, right, bottom, kEdge, fmt::format("limit {}", band.limit)});
    left = right;
  }
  regions.push_back({left, kEdge, -kEdge, kEdge, fmt::format("at most {}", ladder.cap)});
  return regions;
}

std::string capital(std::string word) {
  if (!word.empty()) {
    word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  }
  return word;
}

/// Plots the shapes of a kind by size and best limit.
Plot clusterPlot(const std::string& kind, const Recommendation& recommendation,
                 const std::vector<SplitShape>& shapes) {
  const Heuristic& heuristic = recommendation.taken().heuristic;
  Plot plot;
  plot.title = fmt::format("{}s by best limit, with the recommended ladder", capital(kind));
  plot.note = fmt::format(
      "A ladder maps the output and reduction size to a limit; each box is one of its steps. It "
      "does not split outputs above {}, reductions below {}, or ratios of the two below {}. "
      "Reason for the choice: {}.",
      heuristic.returns.largeParallel, heuristic.returns.smallReduction, heuristic.returns.ratio,
      recommendation.why);
  plot.x = {"output size", "", true};
  plot.y = {"reduction size", "", true};
  plot.regions = toRegions(heuristic.ladder);
  std::map<std::int64_t, Series> byLimit;
  for (const SplitShape& shape : shapes) {
    const auto limit = shape.bestLimit();
    if (limit && nameOf(shape.reduction.kind) == kind) {
      Series& series = byLimit[*limit];
      series.name = fmt::format("best limit {}", *limit);
      series.x.push_back(static_cast<double>(shape.reduction.outputSize()));
      series.y.push_back(static_cast<double>(shape.reduction.reductionSize()));
      series.labels.push_back(shape.name);
    }
  }
  for (auto& [limit, series] : byLimit) {
    plot.series.push_back(std::move(series));
  }
  return plot;
}

double percentOver(double ratio) { return 100 * (ratio - 1); }

/// Returns the regret in percent; none if it covers no shape.
double percentOver(const model::Regret& regret) {
  return regret.shapes > 0 ? percentOver(regret.geomeanRatio) : kNone;
}

/// Adds the regret of each ladder, predicted and measured.
Bars regretBars(const SplitResult& result, const std::string& kind,
                const Recommendation& recommendation) {
  Bars bars;
  bars.title = fmt::format("Regret on {}s", kind);
  bars.note =
      "Regret is the extra time over the oracle, the best measured limit of each problem, as a "
      "geometric mean. Left out: each problem under a ladder fitted to the others. Below 0 is "
      "noise.";
  bars.value = {"regret", "%"};
  bars.names = {"1-D ladder", "2-D ladder", "oracle"};
  Bars::Group fitted{.name = "fitted shapes"};
  Bars::Group crossValidated{.name = "left-out shapes"};
  for (const FittedHeuristic* fit : {&recommendation.oneD, &recommendation.twoD}) {
    fitted.values.push_back(percentOver(fit->inSample));
    crossValidated.values.push_back(percentOver(fit->crossValidated));
  }
  fitted.values.push_back(0);
  crossValidated.values.push_back(0);
  bars.groups = {fitted, crossValidated};
  if (const auto oracle = result.validation.find("oracle"); oracle != result.validation.end()) {
    Bars::Group measured{.name = "measured side by side, all kinds"};
    for (const char* name : {"1-D", "2-D", "oracle"}) {
      const auto way = result.validation.find(name);
      measured.values.push_back(way == result.validation.end()
                                    ? kNone
                                    : percentOver(orNone(oracle->second.geomeanSpeedup) /
                                                  orNone(way->second.geomeanSpeedup)));
    }
    bars.groups.push_back(std::move(measured));
  }
  return bars;
}

}  // namespace

void addLadders(const SplitResult& result, const std::vector<SplitShape>& shapes,
                Document& document) {
  bool first = true;
  for (const Recommendation& one : result.recommendations) {
    // Recommendations for the older form of the source are equivalent.
    if (one.oneD.heuristic.form != model::SourceForm::functions) {
      continue;
    }
    if (first) {
      document.heading("Recommended ladders");
      first = false;
    }
    const std::string kind(nameOf(one.oneD.heuristic.kind));
    document.add(clusterPlot(kind, one, shapes));
    document.add(regretBars(result, kind, one));
  }
}

}  // namespace hone::report
