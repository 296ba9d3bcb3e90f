#include "report/pages/split/split_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stats/summary.h"

namespace hone::report {
namespace {

/// More lines than this are a blur; those are shown on which the limit matters most.
constexpr std::size_t kMostLines = 40;
constexpr const char* kOwn = "own choice";
constexpr const char* kUnsplit = "no split";

std::vector<std::int64_t> limitsOf(const std::vector<SplitShape>& shapes) {
  std::set<std::int64_t> limits;
  for (const SplitShape& shape : shapes) {
    for (const auto& [limit, ns] : shape.limitsNs) {
      limits.insert(limit);
    }
  }
  return {limits.begin(), limits.end()};
}

/// The slowest limit over the fastest.
double spreadOf(const SplitShape& shape) {
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
    return spreadOf(*a) > spreadOf(*b);
  });
  Plot plot;
  plot.title = "Runtime over limit";
  plot.note = "A line a problem: where it is lowest is its best limit.";
  if (order.size() > kMostLines) {
    plot.note += fmt::format(" The {} of {} problems on which the limit matters most.", kMostLines,
                             order.size());
    order.resize(kMostLines);
  }
  plot.x = {"limit of parallel loops", "", true, {limits.begin(), limits.end()}};
  plot.y = {"runtime", "ns", true};
  for (const SplitShape* shape : order) {
    Series series{.name = shape->name, .draw = Draw::line};
    for (const auto& [limit, ns] : shape->limitsNs) {
      series.x.push_back(static_cast<double>(limit));
      series.y.push_back(ns);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

HeatMap map(const std::vector<SplitShape>& shapes, const std::vector<std::int64_t>& limits) {
  HeatMap map;
  map.title = "Problem by limit";
  map.note =
      "The time over the best of its row: dark is good. The first two columns are the compiler's "
      "own choice and no split at all.";
  map.xLabel = "limit";
  map.yLabel = "problem";
  map.value = {"time over the best", "x", true};
  map.columns = {kOwn, kUnsplit};
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

/// One limit for all: over the shapes that have a time under every limit.
DataTable ranking(const std::vector<SplitShape>& shapes, const std::vector<std::int64_t>& limits) {
  DataTable table;
  table.title = "One limit for all";
  table.columns = {
      {"limit"}, {"geometric mean", "ns"}, {"total", "ns"}, {"over the best of each", "x"}};
  std::size_t counted = 0;
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
    counted = times.size();
    double total = 0;
    for (const double ns : times) {
      total += ns;
    }
    table.columns[0].numbers.push_back(static_cast<double>(limit));
    table.columns[1].numbers.push_back(stats::geometricMean(times));
    table.columns[2].numbers.push_back(total);
    table.columns[3].numbers.push_back(stats::geometricMean(ratios));
  }
  table.note = fmt::format("Over the {} problems that have a time under every limit.", counted);
  return table;
}

}  // namespace

void addSweep(const std::vector<SplitShape>& shapes, Document& document) {
  const auto limits = limitsOf(shapes);
  document.heading("The sweep");
  document.add(runtimes(shapes, limits));
  document.add(map(shapes, limits));
  document.add(ranking(shapes, limits));
}

}  // namespace hone::report
