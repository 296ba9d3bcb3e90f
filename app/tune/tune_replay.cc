#include "app/tune/tune_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/common/find_run.h"
#include "base/file.h"
#include "base/text/text.h"
#include "model/result/knob_values.h"
#include "report/render/table.h"
#include "search/space/recording.h"
#include "search/strategy/replay.h"
#include "stats/summary.h"
#include "store/store.h"

namespace hone::app {
namespace {

constexpr std::uint64_t kSeeds = 20;
/// Relative distance to the best time that counts as found.
constexpr double kTolerance = 0.05;
/// Batch size of the tuner.
constexpr std::size_t kBatch = 16;

/// Returns the recorded knobs of a search.
std::vector<search::Knob> knobsFrom(const std::vector<model::SearchedKnob>& kept) {
  std::vector<search::Knob> knobs;
  for (const model::SearchedKnob& one : kept) {
    knobs.push_back({one.name, {}, one.ordered});
  }
  return knobs;
}

/// Converts a trial to a point; nullopt if no strategy proposed it.
std::optional<search::RecordedPoint> toRecordedPoint(const store::Trial& trial,
                                                     const std::vector<search::Knob>& knobs) {
  const auto values = model::valuesNamed(trial.config.name);
  if (!values || values->size() != knobs.size() || !trial.details.proposal) {
    return std::nullopt;
  }
  search::RecordedPoint point;
  for (const search::Knob& knob : knobs) {
    const auto at = values->find(knob.name);
    if (at == values->end()) {
      return std::nullopt;
    }
    point.values.push_back(at->second);
  }
  if (const double timeNs = trial.details.screenNs.value_or(0); timeNs > 0) {
    point.timeNs = timeNs;
  } else {
    point.failure = trial.message;
  }
  point.guess = trial.details.proposal->guess;
  return point;
}

/// Sets the values of each knob to those that occur.
void fillKnobs(search::Recording& recording) {
  for (std::size_t k = 0; k < recording.knobs.size(); ++k) {
    std::set<std::int64_t> values;
    for (const search::RecordedPoint& point : recording.points) {
      values.insert(point.values[k]);
    }
    recording.knobs[k].values = {values.begin(), values.end()};
  }
}

Result<std::vector<search::Recording>> readRecordings(const store::Store& store,
                                                      const Context& context,
                                                      const std::string& name) {
  const store::Run run = HONE_TRY(findRun(store, context, name));
  if (run.details.spaces.empty()) {
    return userError(
        "run {} (hone {}) has no search to replay; use a run of hone tune that searched "
        "dispatches",
        run.id, run.command);
  }
  std::map<std::string, search::Recording> recordings;
  for (const auto& [scope, knobs] : run.details.spaces) {
    recordings[scope] = {scope, knobsFrom(knobs), {}};
  }
  std::map<std::string, double> times;  // by key, for trials with the same binary as an earlier one
  for (const store::Trial& trial : HONE_TRY(store.trials(run.id))) {
    times[trial.key] = trial.details.screenNs.value_or(0);
    const auto at = recordings.find(trial.details.scope);
    auto point = at == recordings.end() ? std::nullopt : toRecordedPoint(trial, at->second.knobs);
    if (!point) {
      continue;
    }
    const auto same = times.find(trial.details.sameAs);
    if (same != times.end() && same->second > 0) {
      point->timeNs = same->second;
      point->failure.clear();
    }
    at->second.points.push_back(std::move(*point));
  }
  std::vector<search::Recording> filled;
  for (auto& [scope, recording] : recordings) {
    if (recording.best()) {
      fillKnobs(recording);
      recording.sort();
      filled.push_back(std::move(recording));
    }
  }
  if (filled.empty()) {
    return userError("run {} has no measured trial", run.id);
  }
  return filled;
}

/// Returns the median over seeds of the trials until a point within kTolerance is found.
Result<double> medianTrials(const search::Recording& recording, const std::string& strategy) {
  std::vector<double> needed;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    search::ReplayOptions options;
    options.seed = seed;
    options.batch = kBatch;
    const auto best = HONE_TRY(search::replay(recording, strategy, options));
    needed.push_back(static_cast<double>(
        search::trialsUntil(recording, best, kTolerance).value_or(recording.points.size())));
  }
  return stats::median(needed);
}

}  // namespace

Result<int> replayRun(const Context& context, const std::string& run, const std::string& strategy,
                      const std::string& folder) {
  const store::Store store = HONE_TRY(openStore(context));
  const auto recordings = HONE_TRY(readRecordings(store, context, run));
  using report::Align;
  report::Table table({{"search", Align::left, 30},
                       {"recorded", Align::right},
                       {"best", Align::right},
                       {strategy, Align::right},
                       {"random", Align::right}});
  nlohmann::json json = nlohmann::json::array();
  for (const search::Recording& recording : recordings) {
    const double needed = HONE_TRY(medianTrials(recording, strategy));
    const double random = HONE_TRY(medianTrials(recording, "random"));
    table.add({recording.name, std::to_string(recording.points.size()),
               humanTime(*recording.best()), fmt::format("{:.0f}", needed),
               fmt::format("{:.0f}", random)});
    json.push_back({{"search", recording.name},
                    {"recorded", recording.points.size()},
                    {"best_ns", *recording.best()},
                    {"trials", needed},
                    {"random_trials", random}});
    if (!folder.empty()) {
      std::string name = recording.name;
      std::replace_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == '/'; }, '_');
      HONE_CHECK(makeFolder(folder));
      HONE_CHECK(writeFile(std::filesystem::path(folder) / (name + ".json"), toText(recording)));
    }
  }
  if (context.json) {
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}trials until within {:.0f} % of the best recorded, median of {} seeds\n",
               table.text(report::outputWidth()), 100 * kTolerance, kSeeds);
  }
  return 0;
}

}  // namespace hone::app
