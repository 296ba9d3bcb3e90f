#include "cluster/spool/records.h"

#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "store/export.h"

namespace hone::cluster {
namespace {

using nlohmann::json;

Result<store::TrialRecord> recordFrom(const json& json) {
  store::TrialRecord record;
  store::Trial& trial = record.trial;
  trial.key = json.at("key");
  trial.problem = json.at("problem");
  trial.config = HONE_TRY(model::configFrom(json.at("config")));
  const auto outcome = model::outcomeFrom(json.at("outcome").get<std::string>());
  if (!outcome) {
    return machineError("unknown outcome in a worker's records: {}",
                        json.at("outcome").get<std::string>());
  }
  trial.outcome = *outcome;
  trial.message = json.at("message");
  trial.diagnostics = json.at("diagnostics");
  trial.artifact = json.at("artifact");
  trial.compileWallNs = json.at("compile_wall_ns");
  trial.compileCpuNs = json.at("compile_cpu_ns");
  trial.details = model::trialDetailsFrom(json.at("details"));
  for (const nlohmann::json& one : json.at("samples")) {
    const auto stage = model::stageFrom(one.at("stage").get<std::string>());
    if (!stage) {
      return machineError("unknown stage in a worker's records");
    }
    record.samples.push_back({*stage, one.at("round"), one.at("position"), one.at("repetition"),
                              one.at("wall_ns"), one.at("cpu_ns"), one.at("iterations")});
  }
  return record;
}

}  // namespace

json toJson(const std::vector<store::TrialRecord>& records) {
  json all = json::array();
  for (const store::TrialRecord& record : records) {
    json one = store::toJson(record.trial);
    one["samples"] = json::array();
    for (const model::Sample& sample : record.samples) {
      one["samples"].push_back(store::toJson(sample));
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::vector<store::TrialRecord>> recordsFrom(const json& json) {
  try {
    std::vector<store::TrialRecord> records;
    for (const nlohmann::json& one : json) {
      records.push_back(HONE_TRY(recordFrom(one)));
    }
    return records;
  } catch (const nlohmann::json::exception& exception) {
    return machineError("invalid records of a worker: {}", exception.what());
  }
}

Result<ScratchStore> ScratchStore::create() {
  ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-unit"));
  auto store = HONE_TRY(store::Store::open(folder.path() / "unit.db", store::Store::Mode::write));
  store::Run run;
  run.command = "worker";
  run.startedAt = utcNow();
  const std::int64_t id = HONE_TRY(store.addRun(run));
  return ScratchStore(std::move(folder), std::move(store), id);
}

Result<std::vector<store::TrialRecord>> readRecords(const store::Store& store, std::int64_t run) {
  std::map<std::int64_t, std::vector<model::Sample>> samples;
  for (const store::TrialSample& one : HONE_TRY(store.samples(run))) {
    samples[one.trial].push_back(one.sample);
  }
  std::vector<store::TrialRecord> records;
  for (store::Trial& trial : HONE_TRY(store.trials(run))) {
    const std::int64_t id = trial.id;
    records.push_back({std::move(trial), std::move(samples[id]), 0});
  }
  return records;
}

void setNode(std::vector<store::TrialRecord>& records, std::int64_t node) {
  for (store::TrialRecord& record : records) {
    record.node = node;
  }
}

}  // namespace hone::cluster
