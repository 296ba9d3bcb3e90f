#include "engine/plan/plan_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "model/result/comparison_json.h"

namespace hone::engine {
namespace {

using nlohmann::json;

Result<json> programJson(const Program& program, FileShare& files) {
  json whole = {{"source", HONE_TRY(files.share(program.source)).string()},
                {"hash", program.hash},
                {"function", program.function},
                {"input_types", program.inputTypes},
                {"result_types", program.resultTypes},
                {"from", program.from},
                {"file", program.file.string()},
                {"input_names", program.inputNames},
                {"result_names", program.resultNames},
                {"parameters", HONE_TRY(files.shareNamed(program.parameters))}};
  if (!program.model.empty()) {
    whole["model"] = HONE_TRY(files.share(program.model)).string();
  }
  json& ranges = whole["input_ranges"] = json::array();
  for (const auto& range : program.inputRanges) {
    ranges.push_back(range ? json{range->low, range->high} : json(nullptr));
  }
  if (program.problem) {
    whole["problem"] = model::toJson(*program.problem);
  }
  return whole;
}

Result<Program> programFrom(const json& json) {
  Program program;
  program.source = json.at("source").get<std::string>();
  program.hash = json.at("hash");
  program.function = json.at("function");
  program.inputTypes = json.at("input_types");
  program.resultTypes = json.at("result_types");
  program.from = json.at("from");
  program.file = json.at("file").get<std::string>();
  program.model = json.value("model", "");
  program.inputNames = json.at("input_names");
  program.resultNames = json.at("result_names");
  program.parameters = json.at("parameters");
  for (const nlohmann::json& range : json.at("input_ranges")) {
    program.inputRanges.push_back(
        range.is_null() ? std::nullopt
                        : std::optional(verify::IntegerBounds{range.at(0), range.at(1)}));
  }
  if (json.contains("problem")) {
    program.problem = HONE_TRY(model::problemFrom(json.at("problem")));
  }
  return program;
}

Result<Inputs> inputsFor(const Plan& plan, std::uint64_t seed,
                         const std::filesystem::path& folder) {
  HONE_CHECK(makeFolder(folder));
  return makeInputs(plan.programs.front(), plan.inputSpecs, seed, folder);
}

Result<Plan> readPlan(const json& json, const std::filesystem::path& folder) {
  Plan plan;
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
  plan.screeningShare = json.at("screening_share");
  plan.rounds = json.at("rounds");
  plan.compare = {json.at("margin"), json.at("confidence"), json.at("compare_seed")};
  plan.inputs = HONE_TRY(inputsFor(plan, plan.seed, folder / "inputs"));
  if (json.at("other_inputs").get<bool>()) {
    plan.otherInputs = HONE_TRY(inputsFor(plan, plan.seed + kOtherSeed, folder / "other-inputs"));
  }
  return plan;
}

}  // namespace

Result<json> toJson(const Plan& plan, FileShare& files) {
  json programs = json::array();
  for (const Program& program : plan.programs) {
    programs.push_back(HONE_TRY(programJson(program, files)));
  }
  json candidates = json::array();
  for (const Candidate& candidate : plan.candidates) {
    model::Config config = candidate.config;
    config.flags = HONE_TRY(files.shareNamed(std::move(config.flags)));
    candidates.push_back({{"program", candidate.program}, {"config", model::toJson(config)}});
  }
  return json{{"scope", plan.scope},
              {"programs", std::move(programs)},
              {"candidates", std::move(candidates)},
              {"input_specs", HONE_TRY(files.shareNamed(plan.inputSpecs))},
              {"other_inputs", plan.otherInputs.has_value()},
              {"flags", HONE_TRY(files.shareNamed(plan.flags))},
              {"seed", plan.seed},
              {"selects", plan.selects},
              {"only_gains", plan.onlyGains},
              {"fresh_memory", plan.memory == iree::Memory::fresh},
              {"finalists", plan.finalists},
              {"screening_share", plan.screeningShare},
              {"rounds", plan.rounds},
              {"margin", plan.compare.margin},
              {"confidence", plan.compare.confidence},
              {"compare_seed", plan.compare.seed}};
}

Result<Plan> planFrom(const json& json, const std::filesystem::path& folder) {
  try {
    return readPlan(json, folder);
  } catch (const nlohmann::json::exception& exception) {
    return machineError("invalid plan of a unit: {}", exception.what());
  }
}

json toJson(const std::vector<Finding>& findings) {
  json all = json::array();
  for (const Finding& finding : findings) {
    json one = {{"key", finding.key}, {"rounds", finding.roundTimesNs}};
    if (finding.comparison) {
      one["comparison"] = model::toJson(*finding.comparison);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<PlanResult> planResultFrom(const json& findings, std::vector<store::TrialRecord> records) {
  PlanResult result;
  try {
    for (const json& finding : findings) {
      const std::string key = finding.at("key");
      const auto record = std::ranges::find_if(
          records, [&](const store::TrialRecord& one) { return one.trial.key == key; });
      if (record == records.end()) {
        return machineError("a worker returned no record of trial {}", key);
      }
      TriedCandidate& tried = result.tried.emplace_back();
      tried.record = *record;
      tried.roundTimesNs = finding.at("rounds").get<std::vector<double>>();
      if (finding.contains("comparison")) {
        tried.comparison = model::comparisonFrom(finding.at("comparison"));
      }
    }
  } catch (const json::exception& exception) {
    return machineError("invalid result of a plan: {}", exception.what());
  }
  for (store::TrialRecord& record : records) {
    if (record.trial.details.twin) {
      result.twin = std::move(record);
    }
  }
  return result;
}

}  // namespace hone::engine
