#include "cluster/plan_json.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cluster/records.h"

namespace hone::cluster {
namespace {

using nlohmann::json;

Result<json> programJson(const engine::Program& program, SharedFiles& files) {
  json whole = {{"source", HONE_TRY(files.keep(program.source)).string()},
                {"hash", program.hash},
                {"function", program.function},
                {"input_types", program.inputTypes},
                {"result_types", program.resultTypes},
                {"from", program.from}};
  if (program.problem) {
    whole["problem"] = model::toJson(*program.problem);
  }
  return whole;
}

Result<engine::Program> programFrom(const json& json) {
  engine::Program program;
  program.source = json.at("source").get<std::string>();
  program.hash = json.at("hash");
  program.function = json.at("function");
  program.inputTypes = json.at("input_types");
  program.resultTypes = json.at("result_types");
  program.from = json.at("from");
  if (json.contains("problem")) {
    program.problem = HONE_TRY(model::problemFrom(json.at("problem")));
  }
  return program;
}

Result<engine::Inputs> inputsFor(const engine::Plan& plan, std::uint64_t seed,
                                 const std::filesystem::path& folder) {
  HONE_CHECK(makeFolder(folder));
  return engine::makeInputs(plan.programs.front(), plan.inputSpecs, seed, folder);
}

Result<engine::Plan> readPlan(const json& json, const std::filesystem::path& folder) {
  engine::Plan plan;
  plan.scope = json.at("scope");
  for (const nlohmann::json& program : json.at("programs")) {
    plan.programs.push_back(HONE_TRY(programFrom(program)));
  }
  for (const nlohmann::json& candidate : json.at("candidates")) {
    plan.candidates.push_back(
        {candidate.at("program"), HONE_TRY(model::configFrom(candidate.at("config")))});
  }
  plan.inputSpecs = json.at("input_specs");
  plan.flags = json.at("flags");
  plan.seed = json.at("seed");
  plan.selects = json.at("selects");
  plan.onlyGains = json.at("only_gains");
  plan.memory = json.at("fresh_memory").get<bool>() ? iree::Memory::fresh : iree::Memory::kept;
  plan.finalists = json.at("finalists");
  plan.rounds = json.at("rounds");
  plan.compare = {json.at("margin"), json.at("confidence"), json.at("compare_seed")};
  plan.inputs = HONE_TRY(inputsFor(plan, plan.seed, folder / "inputs"));
  if (json.at("other_inputs").get<bool>()) {
    plan.otherInputs =
        HONE_TRY(inputsFor(plan, plan.seed + engine::kOtherSeed, folder / "other-inputs"));
  }
  return plan;
}

}  // namespace

Result<json> toJson(const engine::Plan& plan, SharedFiles& files) {
  json programs = json::array();
  for (const engine::Program& program : plan.programs) {
    programs.push_back(HONE_TRY(programJson(program, files)));
  }
  json candidates = json::array();
  for (const engine::Candidate& candidate : plan.candidates) {
    model::Config config = candidate.config;
    config.flags = HONE_TRY(files.keepNamed(std::move(config.flags)));
    candidates.push_back({{"program", candidate.program}, {"config", model::toJson(config)}});
  }
  return json{{"scope", plan.scope},
              {"programs", std::move(programs)},
              {"candidates", std::move(candidates)},
              {"input_specs", HONE_TRY(files.keepNamed(plan.inputSpecs))},
              {"other_inputs", plan.otherInputs.has_value()},
              {"flags", HONE_TRY(files.keepNamed(plan.flags))},
              {"seed", plan.seed},
              {"selects", plan.selects},
              {"only_gains", plan.onlyGains},
              {"fresh_memory", plan.memory == iree::Memory::fresh},
              {"finalists", plan.finalists},
              {"rounds", plan.rounds},
              {"margin", plan.compare.margin},
              {"confidence", plan.compare.confidence},
              {"compare_seed", plan.compare.seed}};
}

Result<engine::Plan> planFrom(const json& json, const std::filesystem::path& folder) {
  try {
    return readPlan(json, folder);
  } catch (const nlohmann::json::exception& exception) {
    return machineError("the plan of a unit cannot be read: {}", exception.what());
  }
}

json toJson(const stats::Comparison& comparison) {
  return {{"verdict", nameOf(comparison.verdict)},
          {"low", comparison.speedup.low},
          {"estimate", comparison.speedup.estimate},
          {"high", comparison.speedup.high},
          {"floor", comparison.floor},
          {"rounds", comparison.rounds}};
}

stats::Comparison comparisonFrom(const json& json) {
  return {
      stats::verdictFrom(json.at("verdict").get<std::string>()).value_or(stats::Verdict::ambiguous),
      {json.at("low"), json.at("estimate"), json.at("high")},
      json.at("floor"),
      json.at("rounds")};
}

json toJson(const engine::PlanAnswer& answer) {
  json whole = {{"records", json::array()}, {"findings", json::array()}, {"twin", json::array()}};
  std::vector<store::TrialRecord> records;
  for (const engine::TriedThere& one : answer.tried) {
    records.push_back(one.record);
    json finding = {{"time_ns", one.finding.timeNs}, {"rounds", one.finding.roundTimesNs}};
    if (one.finding.comparison) {
      finding["comparison"] = toJson(*one.finding.comparison);
    }
    whole["findings"].push_back(std::move(finding));
  }
  whole["records"] = toJson(records);
  if (answer.twin) {
    whole["twin"] = toJson(std::vector{*answer.twin});
  }
  return whole;
}

Result<engine::PlanAnswer> planAnswerFrom(const json& json) {
  try {
    engine::PlanAnswer answer;
    auto records = HONE_TRY(recordsFrom(json.at("records")));
    for (std::size_t i = 0; i < records.size(); ++i) {
      const nlohmann::json& one = json.at("findings").at(i);
      engine::Finding finding;
      finding.timeNs = one.at("time_ns");
      finding.roundTimesNs = one.at("rounds").get<std::vector<double>>();
      if (one.contains("comparison")) {
        finding.comparison = comparisonFrom(one.at("comparison"));
      }
      answer.tried.push_back({std::move(records[i]), std::move(finding)});
    }
    auto twin = HONE_TRY(recordsFrom(json.at("twin")));
    if (!twin.empty()) {
      answer.twin = std::move(twin.front());
    }
    return answer;
  } catch (const nlohmann::json::exception& exception) {
    return machineError("the answer to a plan cannot be read: {}", exception.what());
  }
}

}  // namespace hone::cluster
