#include "report/pages/tune/tune_searches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/render/answer_text.h"

namespace hone::report {
namespace {

/// Maximum number of distinguishable lines.
constexpr std::size_t kMaxSearchLines = 8;

std::vector<std::string> knobNames(const std::vector<model::SearchedKnob>& kept) {
  std::vector<std::string> knobs;
  for (const model::SearchedKnob& one : kept) {
    knobs.push_back(one.name);
  }
  return knobs;
}

/// Returns the winners by scope, which is built as in the tuner.
std::map<std::string, std::string> collectWinners(const model::TuneResult& result) {
  std::map<std::string, std::string> winners;
  for (const model::TunedProgram& program : result.programs) {
    const std::string before =
        result.programs.size() > 1 ? fmt::format("{}: ", program.program) : std::string();
    for (const model::TunedVariant& variant : program.variants) {
      for (const model::TunedDispatch& dispatch : variant.dispatches) {
        const std::string scope = variant.name.empty()
                                      ? dispatch.name
                                      : fmt::format("{} with {}", dispatch.name, variant.name);
        winners[before + scope] = dispatch.winner ? dispatch.winner->point : "";
      }
    }
  }
  return winners;
}

/// Returns NaN for older versions, which did not store the time.
double triedAtMs(const store::Trial& trial) {
  return trial.details.atMs ? static_cast<double>(*trial.details.atMs) : kNone;
}

/// A candidate on the progress plot: trial number or time, and speedup.
struct Step {
  double at = 0;
  double speedup = 0;
  std::string label;
};

std::vector<Step> collectSteps(const TuneSearch& search, const auto& locate) {
  std::vector<Step> steps;
  for (const store::Trial* trial : search.trials) {
    const double at = locate(*trial);
    const double speedup = search.computeSpeedup(*trial);
    if (!std::isnan(at) && !std::isnan(speedup)) {
      steps.push_back({at, speedup, trial->config.name});
    }
  }
  return steps;
}

Series bestSoFar(const std::string& name, const std::vector<Step>& steps, double end) {
  Series best{.name = name, .draw = Draw::steps};
  double highest = 0;
  for (const Step& step : steps) {
    if (step.speedup > highest) {
      highest = step.speedup;
      best.x.push_back(step.at);
      best.y.push_back(highest);
      best.labels.push_back(step.label);
    }
  }
  if (!best.x.empty() && best.x.back() < end) {
    best.x.push_back(end);
    best.y.push_back(highest);
    best.labels.push_back(best.labels.back());
  }
  return best;
}

Plot progressPlot(const std::vector<TuneSearch>& searches, const Axis& axis, double end,
                  const auto& locate) {
  Plot plot;
  plot.note =
      "Each point is a candidate in screening, the short first measurement. Each line is the best "
      "candidate so far of a dispatch. 1x is the compiler's default.";
  plot.x = axis;
  plot.y = {"speedup in screening", "x"};
  plot.rules = {{Rule::Coordinate::y, 1, "default"}};
  Series each{.name = "all candidates", .role = Role::faint};
  std::vector<Series> best;
  for (const TuneSearch& search : searches) {
    const auto steps = collectSteps(search, locate);
    for (const Step& step : steps) {
      each.x.push_back(step.at);
      each.y.push_back(step.speedup);  // no labels: ten thousand names take a megabyte
    }
    if (!steps.empty()) {
      best.push_back(bestSoFar(shortDispatch(search.scope), steps, end));
    }
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Series& a, const Series& b) { return a.y.back() > b.y.back(); });
  if (best.size() > kMaxSearchLines) {
    plot.note += fmt::format(" Lines are shown for the {} dispatches with the largest speedup.",
                             kMaxSearchLines);
    best.resize(kMaxSearchLines);
  }
  plot.series = std::move(best);
  plot.series.push_back(std::move(each));
  return plot;
}

}  // namespace

double TuneSearch::computeSpeedup(const store::Trial& trial) const {
  const double ns = trial.details.screenNs.value_or(0);
  return ns > 0 && defaultNs > 0 ? defaultNs / ns : kNone;
}

std::vector<TuneSearch> collectSearches(const RunRecord& record, const model::TuneResult& result) {
  const auto& spaces = record.run.details.spaces;
  const auto winners = collectWinners(result);
  std::vector<TuneSearch> searches;
  std::map<std::string, std::size_t> known;
  for (const store::Trial& trial : record.trials) {
    const std::string& scope = trial.details.scope;
    const auto space = spaces.find(scope);
    if (space == spaces.end() || isTwin(trial)) {
      continue;
    }
    const auto [place, added] = known.try_emplace(scope, searches.size());
    if (added) {
      const auto winner = winners.find(scope);
      searches.push_back({.scope = scope,
                          .knobs = knobNames(space->second),
                          .trials = {},
                          .defaultNs = trial.details.screenNs.value_or(0),
                          .winner = winner == winners.end() ? "" : winner->second});
    } else {
      searches[place->second].trials.push_back(&trial);
    }
  }
  return searches;
}

void addProgress(const RunRecord& record, const std::vector<TuneSearch>& searches,
                 Document& document) {
  if (searches.empty()) {
    return;
  }
  std::map<std::int64_t, double> numbers;
  double firstMs = kNone;
  double lastMs = kNone;
  for (const store::Trial& trial : record.trials) {
    const double number = static_cast<double>(numbers.size()) + 1;
    numbers[trial.id] = number;
    const double ms = triedAtMs(trial);
    firstMs = std::isnan(firstMs) ? ms : firstMs;
    lastMs = std::isnan(ms) ? lastMs : ms;
  }
  Tabs tabs;
  tabs.title = "Best so far";
  Parts overTrials;
  overTrials.add(progressPlot(searches, {"trial"}, static_cast<double>(numbers.size()),
                              [&](const store::Trial& trial) { return numbers[trial.id]; }));
  tabs.tabs.emplace_back("over trials", std::move(overTrials));
  if (!std::isnan(firstMs)) {
    constexpr double kNsPerMs = 1e6;
    Parts overTime;
    overTime.add(progressPlot(
        searches, {"time since the first trial", "ns"}, (lastMs - firstMs) * kNsPerMs,
        [&](const store::Trial& trial) { return (triedAtMs(trial) - firstMs) * kNsPerMs; }));
    tabs.tabs.emplace_back("over time", std::move(overTime));
  }
  document.add(tabs);
}

}  // namespace hone::report
