#include "model/result/summary/kernel_turn.h"

#include "base/text/json.h"
#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

json toJson(const KernelFinding& finding) {
  return {{"side", finding.side},
          {"what", finding.what},
          {"evidence", finding.evidence},
          {"technique", finding.technique},
          {"weight", orNull(finding.weight)}};
}

KernelFinding kernelFindingFrom(const json& json) {
  return {.side = readText(json, "side"),
          .what = readText(json, "what"),
          .evidence = readText(json, "evidence"),
          .technique = readText(json, "technique"),
          .weight = readField<double>(json, "weight")};
}

KernelAnalysis kernelAnalysisFrom(const json& json) {
  return {.category = readText(json, "category"),
          .rooflineNs = readField<double>(json, "roofline_ns"),
          .rooflineShare = readField<double>(json, "share_of_roofline"),
          .timed = readField<bool>(json, "timed"),
          .compiled = readText(json, "compiled"),
          .counters = readText(json, "counters"),
          .findings = readList(json, "findings", kernelFindingFrom),
          .strategies = readTexts(json, "strategies")};
}

void addExchanges(const json& memory, std::vector<ModelExchange>& exchanges) {
  if (!memory.is_array()) {
    return;
  }
  for (const json& one : memory) {
    if (one.is_object()) {
      exchanges.push_back(modelExchangeFrom(one));
    } else {
      addExchanges(one, exchanges);
    }
  }
}

}  // namespace

json toJson(const KernelProposal& proposal) {
  return {{"language", proposal.language},  {"name", proposal.name},
          {"source", proposal.source},      {"flags", proposal.flags},
          {"title", proposal.title},        {"techniques", proposal.techniques},
          {"reasoning", proposal.reasoning}};
}

KernelProposal kernelProposalFrom(const json& json) {
  return {.language = readText(json, "language"),
          .name = readText(json, "name"),
          .source = readText(json, "source"),
          .flags = readTexts(json, "flags"),
          .title = readText(json, "title"),
          .techniques = readTexts(json, "techniques"),
          .reasoning = readText(json, "reasoning")};
}

json toJson(const KernelAnalysis& analysis) {
  json findings = json::array();
  for (const KernelFinding& finding : analysis.findings) {
    findings.push_back(toJson(finding));
  }
  return {{"category", analysis.category},
          {"roofline_ns", orNull(analysis.rooflineNs)},
          {"share_of_roofline", orNull(analysis.rooflineShare)},
          {"timed", analysis.timed ? json(*analysis.timed) : json()},
          {"compiled", analysis.compiled},
          {"counters", analysis.counters},
          {"findings", std::move(findings)},
          {"strategies", analysis.strategies}};
}

json toJson(const ModelExchange& exchange) {
  return {{"turn", exchange.turn},          {"at", exchange.at},
          {"prompt", exchange.prompt},      {"answer", exchange.answer},
          {"failure", exchange.failure},    {"refused", exchange.refused},
          {"tokens_in", exchange.tokensIn}, {"tokens_out", exchange.tokensOut}};
}

ModelExchange modelExchangeFrom(const json& json) {
  return {.turn = readField<std::int64_t>(json, "turn").value_or(0),
          .at = readText(json, "at"),
          .prompt = readText(json, "prompt"),
          .answer = readText(json, "answer"),
          .failure = readText(json, "failure"),
          .refused = readTexts(json, "refused"),
          .tokensIn = readField<std::int64_t>(json, "tokens_in").value_or(0),
          .tokensOut = readField<std::int64_t>(json, "tokens_out").value_or(0)};
}

json toJson(const KernelTurn& turn) {
  json speedups = json::object();
  for (const auto& [key, speedup] : turn.speedups) {
    speedups[key] = orNull(speedup);
  }
  return {{"turn", turn.turn},
          {"analysis", turn.analysis ? toJson(*turn.analysis) : json()},
          {"examples", turn.examples},
          {"proposals", listJson(turn.proposals)},
          {"complaint", turn.complaint},
          {"ended", turn.ended},
          {"memory", turn.memory.empty() ? json() : json::parse(turn.memory)},
          {"used_ms", turn.usedMs},
          {"decided", turn.decided},
          {"speedups", std::move(speedups)},
          {"best", turn.best},
          {"best_speedup", orNull(turn.bestSpeedup)},
          {"best_ns", orNull(turn.bestNs)},
          {"improvement", orNull(turn.improvement)}};
}

KernelTurn kernelTurnFrom(const json& json) {
  KernelTurn turn;
  turn.turn = readField<std::int64_t>(json, "turn").value_or(0);
  if (const nlohmann::json& analysis = findMember(json, "analysis"); !analysis.is_null()) {
    turn.analysis = kernelAnalysisFrom(analysis);
  }
  turn.examples = readTexts(json, "examples");
  turn.proposals = readList(json, "proposals", kernelProposalFrom);
  turn.complaint = readText(json, "complaint");
  turn.ended = readText(json, "ended");
  if (const nlohmann::json& memory = findMember(json, "memory"); !memory.is_null()) {
    turn.memory = jsonText(memory);
  }
  turn.usedMs = readField<std::int64_t>(json, "used_ms").value_or(0);
  turn.decided = readField<bool>(json, "decided").value_or(false);
  for (const auto& [key, speedup] : findMember(json, "speedups").items()) {
    turn.speedups[key] = speedup.is_number() ? std::optional(speedup.get<double>()) : std::nullopt;
  }
  turn.best = readText(json, "best");
  turn.bestSpeedup = readField<double>(json, "best_speedup");
  turn.bestNs = readField<double>(json, "best_ns");
  turn.improvement = readField<double>(json, "improvement");
  return turn;
}

std::vector<ModelExchange> exchangesIn(std::string_view memory) {
  const json parsed = json::parse(memory, nullptr, false);
  auto read = readResult(parsed, "proposer state", [](const json& whole) {
    std::vector<ModelExchange> exchanges;
    addExchanges(whole, exchanges);
    return exchanges;
  });
  return read ? std::move(*read) : std::vector<ModelExchange>();
}

}  // namespace hone::model
