#include "model/result/summary/tune_result.h"

#include <algorithm>
#include <array>

#include "model/result/comparison_json.h"
#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

json toJson(const TunedWinner& winner) {
  json one = {{"point", winner.point},
              {"compilation_info", winner.compilationInfo},
              {"verified", winner.verified}};
  if (winner.speedup) {
    one["speedup"] = intervalJson(*winner.speedup);
  }
  return one;
}

TunedWinner tunedWinnerFrom(const json& json) {
  return {.point = textOf(json, "point"),
          .compilationInfo = textOf(json, "compilation_info"),
          .speedup = intervalFrom(memberOf(json, "speedup")),
          .verified = textOf(json, "verified")};
}

json toJson(const TunedFinalist& finalist) {
  return {{"point", finalist.point}, {"comparison", model::toJson(finalist.comparison)}};
}

TunedFinalist tunedFinalistFrom(const json& json) {
  return {.point = textOf(json, "point"),
          .comparison = comparisonFrom(memberOf(json, "comparison"))};
}

constexpr std::array<std::string_view, 3> kSearchEnds = {"budget", "plateau", "exhausted"};

/// Returns nullopt for the name of another version.
std::optional<SearchEnd> searchEndFrom(std::string_view name) {
  const auto* const found = std::ranges::find(kSearchEnds, name);
  return found == kSearchEnds.end()
             ? std::nullopt
             : std::optional(static_cast<SearchEnd>(std::distance(kSearchEnds.begin(), found)));
}

TunedDispatch tunedDispatchFrom(const json& json) {
  TunedDispatch dispatch;
  dispatch.name = textOf(json, "name");
  dispatch.dispatches = textsOf(json, "dispatches");
  dispatch.calls = fieldOf<std::int64_t>(json, "calls");
  dispatch.share = fieldOf<double>(json, "share");
  if (auto root = rootOperationFrom(memberOf(json, "root"))) {
    dispatch.root = std::move(*root);
  }
  dispatch.alone = fieldOf<bool>(json, "alone");
  dispatch.space = fieldOf<std::int64_t>(json, "space");
  dispatch.whyNot = textOf(json, "why_not");
  dispatch.tried = fieldOf<std::int64_t>(json, "tried");
  dispatch.failed = fieldOf<std::int64_t>(json, "failed");
  dispatch.defaultNs = measuredOf(json, "default_ns");
  dispatch.inSpec = fieldOf<bool>(json, "in_spec");
  dispatch.note = textOf(json, "note");
  if (const nlohmann::json& winner = memberOf(json, "winner"); !winner.is_null()) {
    dispatch.winner = tunedWinnerFrom(winner);
  }
  dispatch.searchEnd = searchEndFrom(textOf(json, "search_end"));
  dispatch.finalists = fieldOf<std::int64_t>(json, "finalists");
  if (const nlohmann::json& best = memberOf(json, "best_finalist"); !best.is_null()) {
    dispatch.bestFinalist = tunedFinalistFrom(best);
  }
  return dispatch;
}

json toJson(const TunedVariant& variant) {
  return {{"name", variant.name},
          {"flags", variant.flags},
          {"dispatches", listJson(variant.dispatches)}};
}

TunedVariant tunedVariantFrom(const json& json) {
  return {.name = textOf(json, "name"),
          .flags = textsOf(json, "flags"),
          .dispatches = listOf(json, "dispatches", tunedDispatchFrom)};
}

void addProof(const TunedProof& proof, json& program) {
  program["flags"] = proof.flags;
  program["tuned_ns"] = orNull(proof.tunedNs);
  if (proof.speedup) {
    program["speedup"] = intervalJson(*proof.speedup);
  }
  if (proof.verdict) {
    program["verdict"] = nameOf(*proof.verdict);
  }
  program["spec"] = proof.spec;
  program["spec_faults"] = proof.specFaults;
  if (proof.dispatchTimes) {
    program["dispatch_times"] = {{"before", listJson(proof.dispatchTimes->before)},
                                 {"after", listJson(proof.dispatchTimes->after)}};
  }
}

/// Returns nullopt for a program without a speedup.
std::optional<TunedProof> tunedProofFrom(const json& program) {
  TunedProof proof{.flags = textsOf(program, "flags"),
                   .tunedNs = measuredOf(program, "tuned_ns"),
                   .speedup = intervalFrom(memberOf(program, "speedup")),
                   .verdict = verdictOf(program, "verdict"),
                   .spec = textOf(program, "spec"),
                   .specFaults = textsOf(program, "spec_faults"),
                   .dispatchTimes = std::nullopt};
  if (const json& times = memberOf(program, "dispatch_times"); !times.is_null()) {
    proof.dispatchTimes = DispatchTimes{listOf(times, "before", timedDispatchFrom),
                                        listOf(times, "after", timedDispatchFrom)};
  }
  return proof.speedup ? std::optional(std::move(proof)) : std::nullopt;
}

json toJson(const TunedProgram& program) {
  json one = {{"program", program.program},
              {"variants", json::array()},
              {"improved", program.proof.has_value()},
              {"no_gain", program.noGain}};
  for (const TunedVariant& variant : program.variants) {
    one["variants"].push_back(toJson(variant));
  }
  setIf(one, "default_ns", program.defaultNs);
  setIf(one, "flag_sets", program.flagSets);
  if (program.proof) {
    addProof(*program.proof, one);
  }
  return one;
}

TunedProgram tunedProgramFrom(const json& json) {
  return {.program = textOf(json, "program"),
          .variants = listOf(json, "variants", tunedVariantFrom),
          .noGain = textsOf(json, "no_gain"),
          .flagSets = fieldOf<std::int64_t>(json, "flag_sets"),
          .defaultNs = measuredOf(json, "default_ns"),
          .proof = tunedProofFrom(json)};
}

/// Decodes each precedent separately, so that one of another version does not hide the others.
std::vector<Precedent> knownPrecedents(const json& whole) {
  std::vector<Precedent> known;
  const json& list = memberOf(whole, "precedents");
  for (const json& one : list.is_array() ? list : json::array()) {
    if (auto root = rootOperationFrom(memberOf(one, "root"))) {
      known.push_back({std::move(*root), textOf(one, "point")});
    }
  }
  return known;
}

LeftOutProgram leftOutFrom(const json& json) {
  return {.program = textOf(json, "program"), .error = textOf(json, "error")};
}

}  // namespace

std::string_view nameOf(SearchEnd end) { return kSearchEnds[static_cast<std::size_t>(end)]; }

json toJson(const TunedDispatch& dispatch) {
  json one = {{"name", dispatch.name}, {"dispatches", dispatch.dispatches}};
  setIf(one, "calls", dispatch.calls);
  setIf(one, "share", dispatch.share);
  if (dispatch.root) {
    one["root"] = toJson(*dispatch.root);
  }
  setIf(one, "alone", dispatch.alone);
  setIf(one, "space", dispatch.space);
  if (!dispatch.whyNot.empty()) {
    one["why_not"] = dispatch.whyNot;
  }
  if (dispatch.tried) {
    one["tried"] = *dispatch.tried;
    one["default_ns"] = dispatch.defaultNs.value_or(0);
  }
  setIf(one, "failed", dispatch.failed);
  setIf(one, "in_spec", dispatch.inSpec);
  if (!dispatch.note.empty()) {
    one["note"] = dispatch.note;
  }
  if (dispatch.winner) {
    one["winner"] = toJson(*dispatch.winner);
  }
  if (dispatch.searchEnd) {
    one["search_end"] = nameOf(*dispatch.searchEnd);
  }
  setIf(one, "finalists", dispatch.finalists);
  if (dispatch.bestFinalist) {
    one["best_finalist"] = toJson(*dispatch.bestFinalist);
  }
  return one;
}

json toJson(const TuneResult& result) {
  json whole = {
      {"programs", json::array()}, {"precedents", json::array()}, {"left_out", json::array()}};
  for (const TunedProgram& program : result.programs) {
    whole["programs"].push_back(toJson(program));
  }
  for (const Precedent& one : result.precedents) {
    whole["precedents"].push_back({{"root", toJson(one.root)}, {"point", one.point}});
  }
  for (const LeftOutProgram& one : result.leftOut) {
    whole["left_out"].push_back({{"program", one.program}, {"error", one.error}});
  }
  setIf(whole, "own_cpu_ns", result.ownCpuNs);
  return whole;
}

Result<TuneResult> tuneResultFrom(const json& json) {
  return readResult(json, "tune result", [](const nlohmann::json& whole) {
    return TuneResult{.programs = listOf(whole, "programs", tunedProgramFrom),
                      .precedents = knownPrecedents(whole),
                      .leftOut = listOf(whole, "left_out", leftOutFrom),
                      .ownCpuNs = fieldOf<std::int64_t>(whole, "own_cpu_ns")};
  });
}

}  // namespace hone::model
