#include "report/render/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "report/data/trial_times.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "store/export.h"

namespace hone::report {
namespace {

using nlohmann::json;

/// Formats "2026-11-15T20:15:14Z" as "2026-11-15 20:15".
std::string formatMinute(const std::string& time) {
  constexpr std::size_t kMinutes = 16;
  std::string text = time.substr(0, kMinutes);
  if (text.size() > 10 && text[10] == 'T') {
    text[10] = ' ';
  }
  return text;
}

/// Returns the arguments of the run; its command has a separate column.
std::string runArguments(const store::RunLine& run) {
  if (run.title == run.command) {
    return "";
  }
  return run.title.starts_with(run.command + " ") ? run.title.substr(run.command.size() + 1)
                                                  : run.title;
}

/// Appends a padded label and its non-empty values; nothing if all are empty.
void addFact(std::string& text, std::string_view label, const std::vector<std::string>& values) {
  std::vector<std::string> known;
  std::ranges::copy_if(values, std::back_inserter(known),
                       [](const std::string& value) { return !value.empty(); });
  if (!known.empty()) {
    text += fmt::format("{:<10}{}\n", label, join(known, ", "));
  }
}

std::string labelled(std::string_view label, const std::string& value) {
  return value.empty() ? "" : fmt::format("{} {}", label, value);
}

}  // namespace

std::string runListText(std::span<const store::RunLine> runs, const RunResults& results,
                        std::size_t width) {
  Table table({{"id", Align::right},
               {"verb"},
               {"started (UTC)"},
               {"status", Align::left, 8},
               {"result", Align::left, 22},
               {"command", Align::left, 12}});
  for (const store::RunLine& run : runs) {
    const std::string status = run.cluster.empty()
                                   ? std::string(nameOf(run.status))
                                   : fmt::format("{}: {}", nameOf(run.status), run.cluster);
    table.add({std::to_string(run.id), run.command, formatMinute(run.startedAt), status,
               results.of(run.id), runArguments(run)});
  }
  return table.text(width);
}

json runListJson(std::span<const store::RunLine> runs, const RunResults& results) {
  json list = json::array();
  for (const store::RunLine& run : runs) {
    list.push_back({{"id", run.id},
                    {"verb", run.command},
                    {"started_at", run.startedAt},
                    {"status", nameOf(run.status)},
                    {"result", results.of(run.id)},
                    {"trials", run.trials},
                    {"target", run.target},
                    {"device", run.device},
                    {"cluster", run.cluster},
                    {"command", run.title}});
  }
  return {{"runs", std::move(list)}};
}

RunView::RunView(const store::Run& run, std::span<const store::TrialLine> trials,
                 std::span<const store::TrialSample> samples)
    : run_(run), cpuTime_(ranksByCpu(run)) {
  const TrialTimes times(samples, cpuTime_);
  for (const store::TrialLine& trial : trials) {
    const std::vector<double> ns = times.last(trial.id);
    lines_.push_back(
        {.trial = &trial, .samples = ns.size(), .medianNs = ns.empty() ? 0 : stats::median(ns)});
    ++counts_[trial.outcome];
  }
}

std::string RunView::outcomes() const {
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts_) {
    parts.push_back(fmt::format("{} {}", count, nameOf(outcome)));
  }
  return parts.empty() ? "no trials" : join(parts, ", ");
}

std::string RunView::text(std::size_t width) const {
  std::string text = fmt::format("run {}: hone {}\n", run_.id, store::commandLine(run_.arguments));
  addFact(text, "status", {std::string(nameOf(run_.status))});
  addFact(text, "time", {labelled("started", run_.startedAt), labelled("ended", run_.finishedAt)});
  addFact(text, "folder", {run_.workingFolder});
  addFact(text, "machine", {run_.host, run_.cpu});
  addFact(text, "cluster", {run_.details.cluster.value_or("")});
  addFact(text, "target", {run_.target, labelled("device", run_.device)});
  addFact(text, "versions",
          {labelled("hone", run_.honeVersion), labelled("compiler", run_.compilerRevision),
           fmt::format("seed {}", run_.seed)});
  addFact(text, "outcomes", {outcomes()});
  if (run_.status != store::RunStatus::finished) {
    addFact(text, "resume", {fmt::format("hone runs resume {}", run_.id)});
  }
  if (lines_.empty()) {
    return text;
  }
  Table table({{"trial", Align::right},
               {"outcome"},
               {"median " + clock(), Align::right},
               {"samples", Align::right},
               {"problem", Align::left, 10},
               {"config", Align::left, 10},
               {"message", Align::left, 10}});
  for (const TimedTrial& line : lines_) {
    const store::TrialLine& trial = *line.trial;
    table.add({std::to_string(trial.id), std::string(nameOf(trial.outcome)),
               line.samples > 0 ? humanTime(line.medianNs) : "", std::to_string(line.samples),
               trial.problem, trial.config, trial.message});
  }
  return text + "\n" + table.text(width);
}

json RunView::json() const {
  nlohmann::json document = store::toJson(run_);
  nlohmann::json& outcomes = document["outcomes"] = nlohmann::json::object();
  for (const auto& [outcome, count] : counts_) {
    outcomes[std::string(nameOf(outcome))] = count;
  }
  document["clock"] = clock();
  nlohmann::json& trials = document["trials"] = nlohmann::json::array();
  for (const TimedTrial& line : lines_) {
    nlohmann::json entry = store::toJson(*line.trial);
    entry["samples"] = line.samples;
    entry["median_ns"] = line.samples > 0 ? nlohmann::json(line.medianNs) : nlohmann::json(nullptr);
    trials.push_back(std::move(entry));
  }
  return document;
}

}  // namespace hone::report
