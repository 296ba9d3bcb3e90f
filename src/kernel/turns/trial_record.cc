#include "kernel/turns/trial_record.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace hone::kernel {

using nlohmann::json;

json toJson(const Proposal& proposal) {
  return {{"language", nameOf(proposal.source.language)},
          {"name", proposal.source.name},
          {"source", proposal.source.text},
          {"flags", proposal.source.flags},
          {"title", proposal.title},
          {"techniques", proposal.techniques},
          {"reasoning", proposal.reasoning}};
}

Proposal proposalFrom(const json& json) {
  Proposal proposal;
  proposal.source.language =
      languageFrom(json.value("language", "")).value_or(proposal.source.language);
  proposal.source.name = json.value("name", "");
  proposal.source.text = json.value("source", "");
  proposal.source.flags = json.value("flags", std::vector<std::string>{});
  proposal.title = json.value("title", "");
  proposal.techniques = json.value("techniques", std::vector<std::string>{});
  proposal.reasoning = json.value("reasoning", "");
  return proposal;
}

store::Trial trialOf(const Tried& tried, std::string key) {
  store::Trial trial;
  trial.key = std::move(key);
  trial.problem = tried.proposal.source.name;
  trial.config.name = tried.proposal.title;
  trial.config.flags = tried.proposal.source.flags;
  trial.outcome = tried.judged.outcome;
  trial.message = tried.judged.message;
  trial.diagnostics = tried.judged.diagnostics;
  trial.artifact = tried.judged.artifact;
  trial.compileWallNs = tried.judged.buildWallNs;
  trial.compileCpuNs = tried.judged.buildCpuNs;
  trial.details = {
      {"kernel", toJson(tried.proposal)}, {"turn", tried.turn}, {"facts", tried.judged.facts}};
  return trial;
}

Tried triedFrom(const store::Trial& trial, std::vector<model::Sample> samples) {
  Tried tried;
  tried.proposal = proposalFrom(trial.details.value("kernel", json::object()));
  tried.turn = trial.details.value("turn", std::size_t{0});
  tried.judged.outcome = trial.outcome;
  tried.judged.message = trial.message;
  tried.judged.diagnostics = trial.diagnostics;
  tried.judged.artifact = trial.artifact;
  tried.judged.buildWallNs = trial.compileWallNs;
  tried.judged.buildCpuNs = trial.compileCpuNs;
  tried.judged.facts = trial.details.value("facts", json::object());
  tried.judged.samples = std::move(samples);
  return tried;
}

}  // namespace hone::kernel
