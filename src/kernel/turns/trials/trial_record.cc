#include "kernel/turns/trials/trial_record.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/json.h"

namespace hone::kernel {

using nlohmann::json;

model::KernelProposal toRecord(const Proposal& proposal) {
  return {.language = std::string(nameOf(proposal.source.language)),
          .name = proposal.source.name,
          .source = proposal.source.text,
          .flags = proposal.source.flags,
          .title = proposal.title,
          .techniques = proposal.techniques,
          .reasoning = proposal.reasoning,
          .attempt = static_cast<std::int64_t>(proposal.attempt)};
}

Proposal proposalFrom(const model::KernelProposal& record) {
  Proposal proposal;
  proposal.source.language = languageFrom(record.language).value_or(proposal.source.language);
  proposal.source.name = record.name;
  proposal.source.text = record.source;
  proposal.source.flags = record.flags;
  proposal.title = record.title;
  proposal.techniques = record.techniques;
  proposal.reasoning = record.reasoning;
  proposal.attempt = static_cast<std::size_t>(record.attempt);
  return proposal;
}

store::Trial toTrial(const JudgedProposal& tried, std::string key) {
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
  trial.details.kernel = toRecord(tried.proposal);
  trial.details.turn = static_cast<std::int64_t>(tried.turn);
  trial.details.facts = jsonText(toJson(tried.judged.facts));
  return trial;
}

JudgedProposal judgedProposalFrom(const store::Trial& trial, std::vector<model::Sample> samples) {
  JudgedProposal tried;
  tried.proposal = proposalFrom(trial.details.kernel.value_or(model::KernelProposal()));
  tried.turn = static_cast<std::size_t>(trial.details.turn.value_or(0));
  tried.judged.outcome = trial.outcome;
  tried.judged.message = trial.message;
  tried.judged.diagnostics = trial.diagnostics;
  tried.judged.artifact = trial.artifact;
  tried.judged.buildWallNs = trial.compileWallNs;
  tried.judged.buildCpuNs = trial.compileCpuNs;
  if (!trial.details.facts.empty()) {
    tried.judged.facts = factsFrom(json::parse(trial.details.facts));
  }
  tried.judged.samples = std::move(samples);
  return tried;
}

}  // namespace hone::kernel
