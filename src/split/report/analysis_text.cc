#include "split/report/analysis_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "split/fit/simulate.h"
#include "split/report/recommendation_text.h"
#include "split/report/text_parts.h"
#include "split/report/validation_text.h"

namespace hone::split {
namespace {

constexpr std::size_t kMaxListedFailures = 20;
constexpr std::size_t kTopShapes = 20;

std::string introductionText(const SweepResult& sweep) {
  std::string text = fmt::format("{}; limits {}\n",
                                 countText(static_cast<std::int64_t>(sweep.shapes.size()), "shape"),
                                 fmt::join(sweep.limits, ", "));
  const std::size_t shown = std::min(sweep.failures.size(), kMaxListedFailures);
  if (shown > 0) {
    text += fmt::format("{} without a time:\n",
                        countText(static_cast<std::int64_t>(sweep.failures.size()), "trial"));
  }
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("  {}\n", sweep.failures[i]);
  }
  if (sweep.failures.size() > shown) {
    text += fmt::format("  and {} more\n", sweep.failures.size() - shown);
  }
  return text + "\n";
}

std::string statisticsText(std::string_view title,
                           const std::optional<LimitStatistics>& statistics) {
  const auto ms = [&](double LimitStatistics::* member) {
    return statistics ? fmt::format("{} ms", inMs(*statistics.*member)) : std::string("N.A.");
  };
  std::string text = fmt::format("{}:\n", title);
  text += fmt::format("  Geometric Mean:   {}\n", ms(&LimitStatistics::geomeanUs));
  text += fmt::format("  Arithmetic Mean:  {}\n", ms(&LimitStatistics::meanUs));
  text += fmt::format("  Median:           {}\n", ms(&LimitStatistics::medianUs));
  text += fmt::format("  P95:              {}\n", ms(&LimitStatistics::p95Us));
  text += fmt::format("  Total Runtime:    {}\n\n", ms(&LimitStatistics::totalUs));
  return text;
}

std::string rowTitle(const SummaryRow& row) {
  switch (row.kind) {
    case SummaryRow::Kind::baseline:
      return "baseline (the compiler's default)";
    case SummaryRow::Kind::noSplit:
      return "no split";
    case SummaryRow::Kind::limit:
      break;
  }
  return fmt::format("limitParallelLoops = {}", row.limit);
}

std::string comparisonsText(const BaselineComparisons& comparisons) {
  std::string text;
  for (const BaselineComparison& one : comparisons.limits) {
    text += fmt::format("{} vs baseline:\n",
                        one.limit ? fmt::format("limit={}", *one.limit) : "no split");
    text += fmt::format("  Win Rate:         {:.1f}% ({}/{} tests faster)\n", one.winRate(),
                        one.faster, one.tests());
    if (one.faster > 0) {
      text += fmt::format("  Avg Improvement:  {:.1f}%\n  Max Improvement:  {:.1f}%\n",
                          one.averageImprovement, one.largestImprovement);
    }
    if (one.slower > 0) {
      text +=
          fmt::format("  Avg Regression:   {:.1f}% ({} slower)\n  Max Regression:   {:.1f}%\n",
                      one.averageRegression, countText(one.slower, "test"), one.largestRegression);
    }
    text += "\n";
  }
  if (text.empty()) {
    text = "No shape has times for both the baseline and a limit.\n\n";
  }
  if (comparisons.withoutBaseline > 0) {
    text += fmt::format("Omitted: {} without a baseline.\n\n",
                        countText(comparisons.withoutBaseline, "shape"));
  }
  return text;
}

std::string clustersText(const std::vector<ShapeCluster>& clusters) {
  const bool mixed = !clusters.empty() && clusters.front().kind != clusters.back().kind;
  const auto range = [](const SizeRange& sizes) {
    return fmt::format("{} - {} (median {})", groupedText(sizes.least), groupedText(sizes.most),
                       groupedText(sizes.median));
  };
  std::string text;
  for (const ShapeCluster& cluster : clusters) {
    text += fmt::format("Cluster for limitParallelLoops = {}{}:\n", cluster.limit,
                        mixed ? fmt::format(" ({})", model::nameOf(cluster.kind)) : "");
    text += fmt::format("  Count: {}\n", countText(cluster.count, "test"));
    text += fmt::format("  OutputSize range: {}\n", range(cluster.outputSize));
    text += fmt::format("  ReductionSize range: {}\n", range(cluster.reductionSize));
    text +=
        fmt::format("  Avg speedup vs baseline:    {}\n", speedupText(cluster.averageOverBaseline));
    text +=
        fmt::format("  Avg speedup vs worst limit: {}\n\n", speedupText(cluster.averageSpeedup));
  }
  return text;
}

std::string topText(const SweepResult& sweep) {
  struct Top {
    const ShapeResult* shape = nullptr;
    LimitTime best;
    std::optional<double> overBaseline;
    double overWorst = 1;
  };
  std::vector<Top> all;
  for (const ShapeResult& shape : sweep.shapes) {
    if (const auto best = fastestLimit(shape)) {
      all.push_back(
          {&shape, *best,
           shape.baseline ? std::optional(shape.baseline->timeUs() / best->timeUs) : std::nullopt,
           slowestLimit(shape)->timeUs / best->timeUs});
    }
  }
  // std::nullopt is less than any number.
  std::stable_sort(all.begin(), all.end(), [](const Top& a, const Top& b) {
    return std::tie(a.overBaseline, a.overWorst) > std::tie(b.overBaseline, b.overWorst);
  });
  std::string text = "By speedup vs baseline; shapes without a baseline follow.\n\n";
  for (std::size_t i = 0; i < std::min(all.size(), kTopShapes); ++i) {
    text += fmt::format(
        "#{}: {}\n    Best limit: {}, Runtime: {}ms, Speedup vs baseline: {}, Speedup vs worst "
        "limit: {}\n",
        i + 1, all[i].shape->arguments, all[i].best.limit, inMs(all[i].best.timeUs),
        speedupText(all[i].overBaseline), speedupText(all[i].overWorst));
  }
  return text + "\n";
}

}  // namespace

std::string rankingText(const LimitRanking& ranking, std::size_t shapes) {
  const std::string all = countText(static_cast<std::int64_t>(shapes), "shape");
  std::string text = fmt::format(
      "Statistics over {} of {} with a time in every row; limits by geometric mean.\n\n",
      ranking.shapes, all);
  text += statisticsText(rowTitle({SummaryRow::Kind::baseline}), ranking.baseline);
  text += statisticsText(rowTitle({SummaryRow::Kind::noSplit}), ranking.noSplit);
  for (const LimitStatistics& limit : ranking.limits) {
    text += statisticsText(rowTitle({SummaryRow::Kind::limit, limit.limit}), limit);
  }
  for (const SparseRow& row : ranking.sparse) {
    if (row.row.kind == SummaryRow::Kind::limit) {
      text += statisticsText(rowTitle(row.row), std::nullopt);
    }
  }
  for (const SparseRow& row : ranking.sparse) {
    text += fmt::format("N.A.: {} has a time for {} of {}.\n", rowTitle(row.row), row.shapes, all);
  }
  return ranking.sparse.empty() ? text : text + "\n";
}

std::string comparisonPartsText(const Analysis& analysis) {
  std::string text = headingText("PART 2: BASELINE COMPARISON");
  text += comparisonsText(analysis.comparisons);
  text += headingText("PART 3: CLUSTER ANALYSIS");
  text += clustersText(analysis.clusters);
  text += headingText("PART 4: C++ CODE RECOMMENDATIONS");
  text += recommendationText(analysis.recommendations);
  text += headingText("PART 5: TOP 20 HIGHEST SPEEDUPS");
  text += topText(analysis.sweep);
  return text;
}

std::string analysisText(const Analysis& analysis, const std::optional<Validation>& validation) {
  std::string text = introductionText(analysis.sweep);
  text += headingText("PART 1: PERFORMANCE SUMMARY BY LIMIT");
  text += rankingText(analysis.ranking, analysis.sweep.shapes.size());
  text += comparisonPartsText(analysis);
  text += headingText("PART 6: OPTIMIZED CONFIGURATION - VALIDATED PERFORMANCE");
  text += validationText(validation);
  return text;
}

}  // namespace hone::split
