#include "report/pages/split/split_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/render/answer_text.h"
#include "stats/summary.h"

namespace hone::report {
namespace {

/// Maximum number of lines; the problems with the largest spread are shown.
constexpr std::size_t kMaxLines = 40;
constexpr const char* kDefault = "default";
constexpr const char* kUnsplit = "no split";

std::vector<std::int64_t> collectLimits(const std::vector<SplitShape>& shapes) {
  std::set<std::int64_t> limits;
  for (const SplitShape& shape : shapes) {
    for (const auto& [limit, ns] : shape.limitsNs) {
      limits.insert(limit);
    }
  }
  return {limits.begin(), limits.end()};
}

/// Returns the ratio of the slowest to the fastest limit.
double spread(const SplitShape& shape) {
  double least = kNone;
  double most = kNone;
  for (const auto& [limit, ns] : shape.limitsNs) {
    least = std::fmin(least, ns);
    most = std::fmax(most, ns);
  }
  return shape.limitsNs.empty() ? 0 : most / least;
}

Plot runtimes(const std::vector<SplitShape>& shapes, const std::vector<std::int64_t>& limits) {
  std::vector<const SplitShape*> order;
  for (const SplitShape& shape : shapes) {
    order.push_back(&shape);
  }
  std::stable_sort(order.begin(), order.end(), [](const SplitShape* a, const SplitShape* b) {
    return spread(*a) > spread(*b);
  });
  Plot plot;
  plot.title = "Runtime over limit";
  plot.note = "One line per problem; its minimum is the best limit.";
  if (order.size() > kMaxLines) {
    plot.note +=
        fmt::format(" The {} of {} problems with the largest spread.", kMaxLines, order.size());
    order.resize(kMaxLines);
  }
  plot.x = {"limit (limitParallelLoops)", "", true, {limits.begin(), limits.end()}};
  plot.y = {"runtime", "ns", true};
  for (const SplitShape* shape : order) {
    Series series{.name = shape->name, .draw = Draw::line};
    for (const auto& [limit, ns] : shape->limitsNs) {
      series.x.push_back(static_cast<double>(limit));
      series.y.push_back(ns);
    }
    if (!series.x.empty()) {
      plot.series.push_back(std::move(series));
    }
  }
  return plot;
}

HeatMap map(const std::vector<SplitShape>& shapes, const std::vector<std::int64_t>& limits) {
  HeatMap map;
  map.title = "Slowdown by problem and limit";
  map.note =
      "Time relative to the best of the row: dark is good. The first two columns are the "
      "compiler's default and no split.";
  map.xLabel = "limit";
  map.yLabel = "problem";
  map.value = {"time relative to the best", "x", true};
  map.columns = {kDefault, kUnsplit};
  for (const std::int64_t limit : limits) {
    map.columns.push_back(std::to_string(limit));
  }
  for (const SplitShape& shape : shapes) {
    const auto best = shape.bestNs();
    if (!best) {
      continue;
    }
    std::vector<double> row = {shape.baselineNs.value_or(kNone) / *best,
                               shape.noSplitNs.value_or(kNone) / *best};
    for (const std::int64_t limit : limits) {
      const auto found = shape.limitsNs.find(limit);
      row.push_back(found == shape.limitsNs.end() ? kNone : found->second / *best);
    }
    const auto marked = std::find(row.begin(), row.end(), 1.0);
    map.marked.push_back(marked == row.end() ? -1 : marked - row.begin());
    map.rows.push_back(shape.name);
    map.cells.push_back(std::move(row));
  }
  return map;
}

/// Ranks each limit used for all problems, over the shapes timed under every limit.
DataTable ranking(const std::vector<SplitShape>& shapes, const std::vector<std::int64_t>& limits) {
  DataTable table;
  table.title = "One limit for all problems";
  table.columns = {
      {"limit"}, {"geometric mean", "ns"}, {"total", "ns"}, {"relative to the best", "x"}};
  std::size_t timed = 0;
  for (const std::int64_t limit : limits) {
    std::vector<double> times;
    std::vector<double> ratios;
    for (const SplitShape& shape : shapes) {
      if (shape.limitsNs.size() == limits.size()) {
        times.push_back(shape.limitsNs.at(limit));
        ratios.push_back(times.back() / *shape.bestNs());
      }
    }
    if (times.empty()) {
      continue;
    }
    timed = times.size();
    double total = 0;
    for (const double ns : times) {
      total += ns;
    }
    table.columns[0].numbers.push_back(static_cast<double>(limit));
    table.columns[1].numbers.push_back(stats::geometricMean(times));
    table.columns[2].numbers.push_back(total);
    table.columns[3].numbers.push_back(stats::geometricMean(ratios));
  }
  table.note = fmt::format("Over {} timed under every limit.", counted(timed, "problem"));
  return table;
}

}  // namespace

void addSweep(const std::vector<SplitShape>& shapes, Document& document) {
  const auto limits = collectLimits(shapes);
  document.heading("Sweep");
  document.add(runtimes(shapes, limits));
  document.add(map(shapes, limits));
  document.add(ranking(shapes, limits));
}

}  // namespace hone::report
