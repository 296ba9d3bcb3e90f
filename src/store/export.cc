#include "store/export.h"

#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "base/text/csv.h"
#include "base/text/json.h"

namespace hone::store {
namespace {

using nlohmann::json;

/// Replaces invalid UTF-8, which tools may print, by U+FFFD, so that dump() cannot throw.
json utf8(const std::string& text) { return json::parse(jsonText(text)); }

Result<Run> existingRun(const Store& store, std::int64_t id) {
  auto run = HONE_TRY(store.run(id));
  if (!run) {
    return userError("no run {} in the store", id);
  }
  return std::move(*run);
}

using SamplesByTrial = std::unordered_map<std::int64_t, std::vector<TrialSample>>;

SamplesByTrial groupByTrial(const std::vector<TrialSample>& samples) {
  SamplesByTrial byTrial;
  for (const TrialSample& entry : samples) {
    byTrial[entry.trial].push_back(entry);
  }
  return byTrial;
}

/// Returns the name of the config, or its JSON if it has none.
std::string configLabel(const model::Config& config) {
  if (!config.name.empty()) {
    return config.name;
  }
  return config.isBaseline() ? "baseline" : jsonText(model::toJson(config));
}

using Nodes = std::map<std::int64_t, Node>;

/// Returns the node that took a sample, or "" for the machine of the run.
std::string nodeName(const Nodes& nodes, const TrialSample& sample) {
  const auto found = nodes.find(sample.node);
  return found == nodes.end() ? "" : found->second.name;
}

void writeTrial(CsvWriter& csv, const Trial& trial, const std::vector<TrialSample>& samples,
                const Nodes& nodes) {
  const std::string run = std::to_string(trial.run);
  const std::string id = std::to_string(trial.id);
  const std::string config = configLabel(trial.config);
  const std::string flags = commandLine(trial.config.flags);
  const auto row = [&](std::string_view stage, const std::string& round,
                       const std::string& position, const std::string& repetition,
                       const std::string& iterations, const std::string& wall,
                       const std::string& cpu, const std::string& node) {
    csv.row({run, id, trial.problem, config, nameOf(trial.outcome), trial.message, stage, round,
             position, repetition, iterations, wall, cpu, trial.artifact, flags, node});
  };
  if (samples.empty()) {
    row("", "", "", "", "", "", "", "");
  }
  for (const TrialSample& entry : samples) {
    const model::Sample& sample = entry.sample;
    row(nameOf(sample.stage), std::to_string(sample.round), std::to_string(sample.position),
        std::to_string(sample.repetition), std::to_string(sample.iterations),
        fmt::format("{}", sample.wallNs), fmt::format("{}", sample.cpuNs), nodeName(nodes, entry));
  }
}

}  // namespace

json toJson(const Run& run) {
  return {{"id", run.id},
          {"key", utf8(run.key)},
          {"verb", utf8(run.command)},
          {"arguments", json::parse(jsonText(run.arguments))},
          {"working_folder", utf8(run.workingFolder)},
          {"status", nameOf(run.status)},
          {"started_at", utf8(run.startedAt)},
          {"finished_at", utf8(run.finishedAt)},
          {"hone_version", utf8(run.honeVersion)},
          {"compiler_revision", utf8(run.compilerRevision)},
          {"host", utf8(run.host)},
          {"cpu", utf8(run.cpu)},
          {"target", utf8(run.target)},
          {"device", utf8(run.device)},
          {"seed", run.seed},
          {"details", model::toJson(run.details)},
          {"summary", json::parse(run.summary)}};
}

json toJson(const Trial& trial) {
  return {{"id", trial.id},
          {"key", utf8(trial.key)},
          {"problem", utf8(trial.problem)},
          {"config", model::toJson(trial.config)},
          {"outcome", nameOf(trial.outcome)},
          {"message", utf8(trial.message)},
          {"diagnostics", utf8(trial.diagnostics)},
          {"artifact", utf8(trial.artifact)},
          {"compile_wall_ns", trial.compileWallNs},
          {"compile_cpu_ns", trial.compileCpuNs},
          {"details", model::toJson(trial.details)}};
}

json toJson(const TrialLine& trial) {
  return {{"id", trial.id},
          {"key", utf8(trial.key)},
          {"problem", utf8(trial.problem)},
          {"config", utf8(trial.config)},
          {"outcome", nameOf(trial.outcome)},
          {"message", utf8(trial.message)},
          {"artifact", utf8(trial.artifact)},
          {"compile_wall_ns", trial.compileWallNs}};
}

json toJson(const Node& node) {
  return {{"name", utf8(node.name)},
          {"cpu", utf8(node.cpu)},
          {"device", utf8(node.device)},
          {"driver", utf8(node.driver)}};
}

json toJson(const model::Sample& sample) {
  return {{"stage", nameOf(sample.stage)},   {"round", sample.round},
          {"position", sample.position},     {"repetition", sample.repetition},
          {"iterations", sample.iterations}, {"wall_ns", sample.wallNs},
          {"cpu_ns", sample.cpuNs}};
}

Result<json> exportJson(const Store& store, std::int64_t run) {
  json document = toJson(HONE_TRY(existingRun(store, run)));
  // Read before the trials: a concurrent writer may add a trial, but never samples without one.
  const SamplesByTrial samples = groupByTrial(HONE_TRY(store.samples(run)));
  json& nodes = document["nodes"] = json::object();
  for (const auto& [id, node] : HONE_TRY(store.nodes())) {
    nodes[std::to_string(id)] = toJson(node);
  }
  json& trials = document["trials"] = json::array();
  for (const Trial& trial : HONE_TRY(store.trials(run))) {
    json entry = toJson(trial);
    json& list = entry["samples"] = json::array();
    if (const auto found = samples.find(trial.id); found != samples.end()) {
      for (const TrialSample& one : found->second) {
        list.push_back(toJson(one.sample));
        list.back()["node"] = one.node;
      }
    }
    trials.push_back(std::move(entry));
  }
  return document;
}

Result<std::string> exportCsv(const Store& store, std::int64_t run) {
  HONE_CHECK(existingRun(store, run));
  const SamplesByTrial samples = groupByTrial(HONE_TRY(store.samples(run)));
  CsvWriter csv;
  csv.row({"run", "trial", "problem", "config", "outcome", "message", "stage", "round", "position",
           "repetition", "iterations", "wall_ns", "cpu_ns", "artifact", "flags", "node"});
  const Nodes nodes = HONE_TRY(store.nodes());
  for (const Trial& trial : HONE_TRY(store.trials(run))) {
    const auto found = samples.find(trial.id);
    writeTrial(csv, trial, found != samples.end() ? found->second : std::vector<TrialSample>(),
               nodes);
  }
  return csv.text();
}

}  // namespace hone::store
