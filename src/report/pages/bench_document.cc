#include "report/pages/bench_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/result/summary/bench_result.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::BenchCandidate;
using stats::Verdict;

/// Maximum number of bars; the table lists all.
constexpr std::size_t kMaxBars = 40;

/// A candidate with its speedup, from the summary or from its samples so far.
struct Row {
  std::string name;
  std::optional<Verdict> verdict;
  std::string shown;  ///< verdict, or outcome of a failure
  std::string message;
  double timeNs = kNone;
  stats::Interval speedup{kNone, kNone, kNone};
};

Row rowFrom(const BenchCandidate& candidate) {
  Row row;
  row.name = candidate.name;
  row.message = candidate.message;
  row.timeNs = orNone(candidate.timeNs);
  row.verdict = candidate.verdict;
  row.shown = formatVerdict(candidate.verdict);
  if (row.shown.empty() && candidate.outcome && candidate.outcome != model::Outcome::ok) {
    row.shown = nameOf(*candidate.outcome);
  }
  row.speedup =
      candidate.speedup.value_or(stats::Interval{kNone, orNone(candidate.estimatedSpeedup), kNone});
  return row;
}

std::vector<Row> rowsFrom(const std::vector<BenchCandidate>& candidates) {
  std::vector<Row> rows;
  for (const BenchCandidate& one : candidates) {
    rows.push_back(rowFrom(one));
  }
  rows.front().speedup.estimate = 1;
  return rows;
}

/// Builds rows for an unfinished run: the first trial is the baseline, and no interval is known.
std::vector<Row> rowsFrom(const RunRecord& record) {
  std::vector<Row> rows;
  for (const store::Trial& trial : record.trials) {
    if (isTwin(trial)) {
      continue;
    }
    const double timeNs = record.times.medianNs(trial.id);
    rows.push_back(
        {.name = makeLabel(trial),
         .verdict = std::nullopt,
         .shown = std::string(nameOf(trial.outcome)),
         .message = trial.message,
         .timeNs = timeNs > 0 ? timeNs : kNone,
         .speedup = {kNone, record.times.speedup(record.trials.front().id, trial.id), kNone}});
  }
  return rows;
}

const Row* findBest(const std::vector<Row>& rows) {
  const Row* best = nullptr;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool proven = rows[i].verdict == Verdict::improved;
    if (proven && (best == nullptr || rows[i].speedup.estimate > best->speedup.estimate)) {
      best = &rows[i];
    }
  }
  return best;
}

/// Answers for a single program with its time.
void answerAlone(const RunRecord& record, const BenchCandidate& candidate, const Row& row,
                 Answer& answer) {
  answer.headline = std::isnan(row.timeNs)
                        ? fmt::format("{} was not timed.", row.name)
                        : fmt::format("{} takes {}.", row.name, timeText(row.timeNs));
  if (candidate.timeInterval) {
    answer.lines.push_back(fmt::format("95 % CI {}–{}, {}.",
                                       timeText(candidate.timeInterval->lowNs),
                                       timeText(candidate.timeInterval->highNs), record.clock()));
  }
}

void answerAll(const std::vector<Row>& rows, Answer& answer) {
  const Row& baseline = rows.front();
  if (const Row* best = findBest(rows)) {
    answer.tone = Answer::Tone::good;
    answer.headline =
        fmt::format("{} is {} as {}: {} → {}.", best->name, asFast(best->speedup.estimate),
                    baseline.name, timeText(baseline.timeNs), timeText(best->timeNs));
    answer.lines.push_back(
        fmt::format("{}; {}.", speedupText(best->speedup), explainVerdict(best->verdict)));
    return;
  }
  const bool pair = rows.size() == 2;
  if (pair && rows[1].verdict == Verdict::regressed) {
    answer.tone = Answer::Tone::bad;
    answer.headline = fmt::format("{} is {} as {}.", rows[1].name, asFast(rows[1].speedup.estimate),
                                  baseline.name);
  } else {
    answer.headline = fmt::format("No significant speedup over {}; keep it.", baseline.name);
  }
  if (pair && !std::isnan(rows[1].speedup.low)) {
    answer.lines.push_back(
        fmt::format("{}; {}.", speedupText(rows[1].speedup), explainVerdict(rows[1].verdict)));
  }
}

void addSpeedups(const std::vector<Row>& rows, Document& document) {
  std::vector<const Row*> timed;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!std::isnan(rows[i].speedup.estimate)) {
      timed.push_back(&rows[i]);
    }
  }
  std::stable_sort(timed.begin(), timed.end(), [](const Row* a, const Row* b) {
    return a->speedup.estimate > b->speedup.estimate;
  });
  if (timed.empty()) {
    return;
  }
  Bars bars;
  bars.title = fmt::format("Speedup over {}", rows.front().name);
  bars.note =
      timed.size() > kMaxBars
          ? fmt::format("The {} fastest of {}; the table lists all.", kMaxBars, timed.size())
          : "Whiskers are 95 % confidence intervals; only candidates in the final have one.";
  timed.resize(std::min(timed.size(), kMaxBars));
  bars.value = {"speedup", "x", true};
  bars.base = 1;
  bars.rules = {1};
  Bars::Group group;
  for (const Row* row : timed) {
    bars.names.push_back(row->name);
    group.values.push_back(row->speedup.estimate);
    group.low.push_back(row->speedup.low);
    group.high.push_back(row->speedup.high);
  }
  bars.groups.push_back(std::move(group));
  document.add(bars);
}

void addTable(const RunRecord& record, const std::vector<Row>& rows, Document& document) {
  DataTable table;
  table.title = "Candidates";
  table.columns = {{"candidate"}, {"speedup", "x"},       {"low", "x"}, {"high", "x"},
                   {"verdict"},   {record.clock(), "ns"}, {"message"}};
  for (const Row& row : rows) {
    table.columns[0].texts.push_back(row.name);
    table.addInterval(1, row.speedup);
    table.columns[4].texts.push_back(row.shown);
    table.columns[5].numbers.push_back(row.timeNs);
    table.columns[6].texts.push_back(row.message);
  }
  document.add(table);
}

void addRounds(const RunRecord& record, const Row* best, Document& document) {
  std::vector<RunRecord::Runner> runners;
  for (const store::Trial& trial : record.trials) {
    const bool first = runners.empty();
    const std::string name = makeLabel(trial);
    const bool won = best != nullptr && name == best->name;
    runners.push_back({&trial, name,
                       first           ? Role::baseline
                       : isTwin(trial) ? Role::faint
                       : won           ? Role::winner
                                       : Role::plain});
  }
  const Plot plot = record.roundsPlot("Final: time per round", runners);
  if (!plot.series.empty()) {
    document.add(plot);
  }
}

}  // namespace

Result<void> describeBench(const RunRecord& record, Document& document) {
  const model::BenchResult result = HONE_TRY(model::benchResultFrom(record.summary()));
  const bool known = !result.candidates.empty();
  const std::vector<Row> rows = known ? rowsFrom(result.candidates) : rowsFrom(record);
  if (rows.empty()) {
    document.answer.headline = "Nothing was measured.";
    return {};
  }
  if (!known) {
    document.answer.headline = fmt::format("{} recorded.", counted(record.trials.size(), "trial"));
  } else if (rows.size() == 1) {
    answerAlone(record, result.candidates.front(), rows.front(), document.answer);
  } else {
    answerAll(rows, document.answer);
  }
  addSpeedups(rows, document);
  addRounds(record, findBest(rows), document);
  if (known) {
    addTable(record, rows, document);
  }
  return {};
}

}  // namespace hone::report
