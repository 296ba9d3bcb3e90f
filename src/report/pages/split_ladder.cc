#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include "report/pages/split_shapes.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using nlohmann::json;

constexpr double kEdge = std::numeric_limits<double>::infinity();

/// The recommendations for today's compiler; those in the older form of its source say the same.
std::vector<const json*> recommendationsOf(const json& summary) {
  std::vector<const json*> list;
  for (const json& one : memberOf(memberOf(summary, "recommendations"), "recommendations")) {
    if (textIn(memberOf(memberOf(one, "one_d"), "heuristic"), "form") == "functions") {
      list.push_back(&one);
    }
  }
  return list;
}

/// A ladder as the parts of the plane that it gives a limit each.
std::vector<Region> regionsOf(const json& heuristic) {
  std::vector<Region> regions;
  double left = -kEdge;
  for (const json& band : memberOf(heuristic, "bands")) {
    const double right = numberIn(band, "output_below");
    double bottom = -kEdge;
    for (const json& step : memberOf(band, "steps")) {
      const double top = numberIn(step, "reduction_below");
      regions.push_back(
          {left, right, bottom, top, fmt::format("limit {}", numberIn(step, "limit"))});
      bottom = top;
    }
    regions.push_back(
        {left, right, bottom, kEdge, fmt::format("limit {}", numberIn(band, "limit"))});
    left = right;
  }
  regions.push_back(
      {left, kEdge, -kEdge, kEdge, fmt::format("at most {}", numberIn(heuristic, "cap"))});
  return regions;
}

std::string capital(std::string word) {
  if (!word.empty()) {
    word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  }
  return word;
}

/// The shapes of a kind by their best limit, over their sizes.
Plot clusterPlot(const std::string& kind, const json& recommendation,
                 const std::vector<SplitShape>& shapes) {
  const bool twoD = memberOf(recommendation, "take_two_d") == true;
  const json& heuristic = memberOf(memberOf(recommendation, twoD ? "two_d" : "one_d"), "heuristic");
  Plot plot;
  plot.title = fmt::format("{}s by their best limit, with the recommended ladder", capital(kind));
  plot.note = fmt::format(
      "The boxes are the ladder with the limit that it gives. It leaves alone what has an output "
      "of "
      "more than {:.0f}, a reduction of less than {:.0f}, or a ratio of the two below {:.0f}. "
      "Taken: "
      "{}.",
      numberIn(heuristic, "large_parallel"), numberIn(heuristic, "small_reduction"),
      numberIn(heuristic, "ratio"), textIn(recommendation, "why"));
  plot.x = {"output size", "", true};
  plot.y = {"reduction size", "", true};
  plot.regions = regionsOf(heuristic);
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

/// How much longer than the best of each shape; what was measured is beside what was predicted.
Bars regretBars(const json& summary, const std::string& kind, const json& recommendation) {
  Bars bars;
  bars.title = fmt::format("Regret on {}s", kind);
  bars.note =
      "How much longer than the best that was measured of each problem, as a geometric mean. Left "
      "out: each problem under a ladder that was fitted to the others. Below 0 is noise.";
  bars.value = {"over the best", "%"};
  bars.names = {"1-D ladder", "2-D ladder", "oracle"};
  Bars::Group fitted{.name = "on the shapes it was fitted to"};
  Bars::Group leftOut{.name = "on shapes left out of the fit"};
  for (const char* form : {"one_d", "two_d"}) {
    const json& fit = memberOf(recommendation, form);
    fitted.values.push_back(percentOver(numberIn(memberOf(fit, "in_sample"), "geomean_ratio")));
    const json& held = memberOf(fit, "left_out");
    const bool any = numberIn(held, "shapes") > 0;
    leftOut.values.push_back(any ? percentOver(numberIn(held, "geomean_ratio")) : kNone);
  }
  fitted.values.push_back(0);
  leftOut.values.push_back(0);
  bars.groups = {fitted, leftOut};
  const json& validation = memberOf(summary, "validation");
  const double oracle = numberIn(memberOf(validation, "oracle"), "geomean_speedup");
  if (!std::isnan(oracle)) {
    Bars::Group measured{.name = "measured side by side, all kinds"};
    for (const char* name : {"1-D", "2-D", "oracle"}) {
      measured.values.push_back(
          percentOver(oracle / numberIn(memberOf(validation, name), "geomean_speedup")));
    }
    bars.groups.push_back(std::move(measured));
  }
  return bars;
}

}  // namespace

void addLadders(const json& summary, const std::vector<SplitShape>& shapes, Document& document) {
  const auto recommendations = recommendationsOf(summary);
  if (recommendations.empty()) {
    return;
  }
  document.heading("The recommended ladders");
  for (const json* one : recommendations) {
    const std::string kind = textIn(memberOf(memberOf(*one, "one_d"), "heuristic"), "kind");
    document.add(clusterPlot(kind, *one, shapes));
    document.add(regretBars(summary, kind, *one));
  }
}

}  // namespace hone::report
