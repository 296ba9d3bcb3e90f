#include "split/fit/statistics/limit_statistics.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "stats/summary.h"

namespace hone::split {
namespace {

/// Returns the time at index int(0.95 * count), for compatibility with earlier tools.
double computeP95(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto index = static_cast<std::size_t>(0.95 * static_cast<double>(times.size()));
  return times[std::min(index, times.size() - 1)];
}

LimitStatistics computeStatistics(std::int64_t limit, const std::vector<double>& times) {
  const stats::Summary summary = stats::summarize(times);
  return {limit,
          stats::geometricMean(times),
          summary.mean,
          summary.median,
          computeP95(times),
          summary.mean * static_cast<double>(times.size())};
}

/// Returns the measured time of a shape in this row; nullopt if it was not measured.
std::optional<double> findMeanUs(const ShapeResult& shape, const SummaryRow& row) {
  std::optional<Timing> timing;
  switch (row.kind) {
    case SummaryRow::Kind::baseline:
      timing = shape.baseline;
      break;
    case SummaryRow::Kind::noSplit:
      timing = shape.noSplit;
      break;
    case SummaryRow::Kind::limit:
      if (const auto at = shape.limits.find(row.limit); at != shape.limits.end()) {
        timing = at->second;
      }
      break;
  }
  return timing ? std::optional(timing->timeUs()) : std::nullopt;
}

/// A row with the shapes that have a time in it.
struct CoveredRow {
  SummaryRow row;
  std::vector<bool> covers;  ///< one per shape of the sweep

  [[nodiscard]] std::int64_t count() const {
    return std::count(covers.begin(), covers.end(), true);
  }
};

/// Returns all rows, in the order in which they are left out on a tie: no split, the baseline, then
/// the limits from the largest one.
std::vector<CoveredRow> listRows(const SweepResult& sweep) {
  std::vector<CoveredRow> rows = {{{SummaryRow::Kind::noSplit}, {}},
                                  {{SummaryRow::Kind::baseline}, {}}};
  for (const std::int64_t limit : sweep.limits | std::views::reverse) {
    rows.push_back({{SummaryRow::Kind::limit, limit}, {}});
  }
  for (CoveredRow& row : rows) {
    for (const ShapeResult& shape : sweep.shapes) {
      row.covers.push_back(findMeanUs(shape, row.row).has_value());
    }
  }
  return rows;
}

std::vector<const ShapeResult*> collectCommon(const SweepResult& sweep,
                                              const std::vector<CoveredRow>& rows) {
  std::vector<const ShapeResult*> common;
  for (std::size_t i = 0; !rows.empty() && i < sweep.shapes.size(); ++i) {
    if (std::all_of(rows.begin(), rows.end(),
                    [&](const CoveredRow& row) { return row.covers[i]; })) {
      common.push_back(&sweep.shapes[i]);
    }
  }
  return common;
}

/// Moves rows from `rows` to `sparse` until half of the shapes of the best covered row are common.
/// Moves all if that leaves no two rows to compare.
void leaveOutSparse(const SweepResult& sweep, std::vector<CoveredRow>& rows,
                    std::vector<SparseRow>& sparse) {
  const auto leaveOut = [&](std::vector<CoveredRow>::iterator row) {
    sparse.push_back({row->row, row->count()});
    rows.erase(row);
  };
  const auto fewest = [&] {
    return std::min_element(rows.begin(), rows.end(), [](const CoveredRow& a, const CoveredRow& b) {
      return a.count() < b.count();
    });
  };
  while (!rows.empty() && fewest()->count() == 0) {
    leaveOut(fewest());
  }
  std::int64_t best = 0;
  for (const CoveredRow& row : rows) {
    best = std::max(best, row.count());
  }
  while (!rows.empty() && 2 * std::ssize(collectCommon(sweep, rows)) < best) {
    leaveOut(fewest());
    if (rows.size() == 1) {
      leaveOut(rows.begin());
    }
  }
}

}  // namespace

LimitRanking rankLimits(const SweepResult& sweep) {
  LimitRanking ranking;
  std::vector<CoveredRow> rows = listRows(sweep);
  leaveOutSparse(sweep, rows, ranking.sparse);
  std::sort(ranking.sparse.begin(), ranking.sparse.end(), [](const auto& a, const auto& b) {
    return std::pair(a.row.kind, a.row.limit) < std::pair(b.row.kind, b.row.limit);
  });
  for (const SparseRow& row : ranking.sparse) {
    if (row.row.kind == SummaryRow::Kind::limit && row.shapes == 0) {
      ranking.failed.push_back(row.row.limit);
    }
  }
  const auto compared = collectCommon(sweep, rows);
  ranking.shapes = std::ssize(compared);
  for (const CoveredRow& row : rows | std::views::reverse) {
    std::vector<double> times;
    for (const ShapeResult* shape : compared) {
      times.push_back(*findMeanUs(*shape, row.row));
    }
    const LimitStatistics statistics = computeStatistics(row.row.limit, times);
    switch (row.row.kind) {
      case SummaryRow::Kind::baseline:
        ranking.baseline = statistics;
        break;
      case SummaryRow::Kind::noSplit:
        ranking.noSplit = statistics;
        break;
      case SummaryRow::Kind::limit:
        ranking.limits.push_back(statistics);
        break;
    }
  }
  std::stable_sort(
      ranking.limits.begin(), ranking.limits.end(),
      [](const LimitStatistics& a, const LimitStatistics& b) { return a.geomeanUs < b.geomeanUs; });
  return ranking;
}

}  // namespace hone::split
