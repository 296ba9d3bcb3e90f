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
  return {.point = readText(json, "point"),
          .compilationInfo = readText(json, "compilation_info"),
          .speedup = intervalFrom(findMember(json, "speedup")),
          .verified = readText(json, "verified")};
}

json toJson(const TunedFinalist& finalist) {
  return {{"point", finalist.point}, {"comparison", model::toJson(finalist.comparison)}};
}

TunedFinalist tunedFinalistFrom(const json& json) {
  return {.point = readText(json, "point"),
          .comparison = comparisonFrom(findMember(json, "comparison"))};
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
  dispatch.name = readText(json, "name");
  dispatch.dispatches = readTexts(json, "dispatches");
  dispatch.calls = readField<std::int64_t>(json, "calls");
  dispatch.share = readField<double>(json, "share");
  if (auto root = rootOperationFrom(findMember(json, "root"))) {
    dispatch.root = std::move(*root);
  }
  dispatch.alone = readField<bool>(json, "alone");
  dispatch.space = readField<std::int64_t>(json, "space");
  dispatch.skipReason = readText(json, "why_not");
  dispatch.tried = readField<std::int64_t>(json, "tried");
  dispatch.failed = readField<std::int64_t>(json, "failed");
  dispatch.defaultNs = readMeasured(json, "default_ns");
  dispatch.inSpec = readField<bool>(json, "in_spec");
  dispatch.note = readText(json, "note");
  if (const nlohmann::json& winner = findMember(json, "winner"); !winner.is_null()) {
    dispatch.winner = tunedWinnerFrom(winner);
  }
  dispatch.searchEnd = searchEndFrom(readText(json, "search_end"));
  dispatch.finalists = readField<std::int64_t>(json, "finalists");
  if (const nlohmann::json& best = findMember(json, "best_finalist"); !best.is_null()) {
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
  return {.name = readText(json, "name"),
          .flags = readTexts(json, "flags"),
          .dispatches = readList(json, "dispatches", tunedDispatchFrom)};
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
  if (proof.freshMemory) {
    json& fresh = program["fresh_memory"] = json::object();
    setIf(fresh, "default_ns", proof.freshMemory->defaultNs);
    setIf(fresh, "tuned_ns", proof.freshMemory->tunedNs);
    if (proof.freshMemory->speedup) {
      fresh["speedup"] = intervalJson(*proof.freshMemory->speedup);
    }
  }
}

/// Returns nullopt for a program without a speedup.
std::optional<TunedProof> tunedProofFrom(const json& program) {
  TunedProof proof{.flags = readTexts(program, "flags"),
                   .tunedNs = readMeasured(program, "tuned_ns"),
                   .speedup = intervalFrom(findMember(program, "speedup")),
                   .verdict = readVerdict(program, "verdict"),
                   .spec = readText(program, "spec"),
                   .specFaults = readTexts(program, "spec_faults"),
                   .dispatchTimes = std::nullopt,
                   .freshMemory = std::nullopt};
  if (const json& times = findMember(program, "dispatch_times"); !times.is_null()) {
    proof.dispatchTimes = TunedDispatchTimes{readList(times, "before", timedDispatchFrom),
                                             readList(times, "after", timedDispatchFrom)};
  }
  if (const json& fresh = findMember(program, "fresh_memory"); !fresh.is_null()) {
    proof.freshMemory = FreshMemoryGain{.defaultNs = readMeasured(fresh, "default_ns"),
                                        .tunedNs = readMeasured(fresh, "tuned_ns"),
                                        .speedup = intervalFrom(findMember(fresh, "speedup"))};
  }
  return proof.speedup ? std::optional(std::move(proof)) : std::nullopt;
}

json toJson(const TunedLayer& layer) {
  json one = {{"layer", model::toJson(layer.layer)}, {"way", layer.way}, {"ns", layer.ns}};
  setIf(one, "default_ns", layer.defaultNs);
  if (layer.remembered) {
    one["remembered"] = true;
  }
  return one;
}

/// Decodes each layer separately, so that one of another version does not hide the others.
std::vector<TunedLayer> knownLayers(const json& program) {
  std::vector<TunedLayer> known;
  const json& list = findMember(program, "layers");
  for (const json& one : list.is_array() ? list : json::array()) {
    auto layer = layerFrom(findMember(one, "layer"));
    if (!layer) {
      continue;
    }
    TunedLayer tuned{.layer = std::move(*layer),
                     .way = readText(one, "way"),
                     .ns = {},
                     .defaultNs = readMeasured(one, "default_ns"),
                     .remembered = readField<bool>(one, "remembered").value_or(false)};
    const json& times = findMember(one, "ns");
    const json ways = times.is_object() ? times : json::object();
    for (const auto& [way, ns] : ways.items()) {
      if (ns.is_number()) {
        tuned.ns.emplace(way, ns.get<double>());
      }
    }
    known.push_back(std::move(tuned));
  }
  return known;
}

json toJson(const TunedProgram& program) {
  json one = {{"program", program.program},
              {"variants", json::array()},
              {"improved", program.proof.has_value()},
              {"no_gain", program.noGain}};
  for (const TunedVariant& variant : program.variants) {
    one["variants"].push_back(toJson(variant));
  }
  if (!program.layers.empty()) {
    one["layers"] = json::array();
    for (const TunedLayer& layer : program.layers) {
      one["layers"].push_back(toJson(layer));
    }
  }
  setIf(one, "default_ns", program.defaultNs);
  setIf(one, "flag_sets", program.flagSets);
  if (program.proof) {
    addProof(*program.proof, one);
  }
  setText(one, "sizes", program.sizes);
  setText(one, "verified", program.verified);
  setText(one, "note", program.note);
  for (const SizeProof& size : program.otherSizes) {
    json& row = one["other_sizes"].emplace_back(json{{"sizes", size.sizes}});
    setIf(row, "default_ns", size.defaultNs);
    setIf(row, "tuned_ns", size.tunedNs);
    setText(row, "error", size.error);
    if (size.speedup) {
      row["speedup"] = intervalJson(*size.speedup);
    }
    if (size.verdict) {
      row["verdict"] = nameOf(*size.verdict);
    }
  }
  if (program.alternative) {
    json& other = one["alternative"] = {{"name", program.alternative->name}};
    setIf(other, "time_ns", program.alternative->timeNs);
    setText(other, "error", program.alternative->error);
    if (program.alternative->speedup) {
      other["speedup"] = intervalJson(*program.alternative->speedup);
    }
  }
  if (program.graph) {
    one["graph"] = toJson(*program.graph);
  }
  return one;
}

SizeProof sizeProofFrom(const json& json) {
  return {.sizes = readText(json, "sizes"),
          .defaultNs = readMeasured(json, "default_ns"),
          .tunedNs = readMeasured(json, "tuned_ns"),
          .speedup = intervalFrom(findMember(json, "speedup")),
          .verdict = readVerdict(json, "verdict"),
          .error = readText(json, "error")};
}

std::optional<AlternativeTime> alternativeFrom(const json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  return AlternativeTime{.name = readText(json, "name"),
                         .timeNs = readMeasured(json, "time_ns"),
                         .speedup = intervalFrom(findMember(json, "speedup")),
                         .error = readText(json, "error")};
}

std::optional<DispatchGraph> graphFrom(const json& json) {
  return json.is_null() ? std::nullopt : std::optional(dispatchGraphFrom(json));
}

TunedProgram tunedProgramFrom(const json& json) {
  return {.program = readText(json, "program"),
          .layers = knownLayers(json),
          .variants = readList(json, "variants", tunedVariantFrom),
          .noGain = readTexts(json, "no_gain"),
          .flagSets = readField<std::int64_t>(json, "flag_sets"),
          .defaultNs = readMeasured(json, "default_ns"),
          .proof = tunedProofFrom(json),
          .sizes = readText(json, "sizes"),
          .verified = readText(json, "verified"),
          .note = readText(json, "note"),
          .alternative = alternativeFrom(findMember(json, "alternative")),
          .otherSizes = readList(json, "other_sizes", sizeProofFrom),
          .graph = graphFrom(findMember(json, "graph"))};
}

/// Decodes each precedent separately, so that one of another version does not hide the others.
std::vector<Precedent> knownPrecedents(const json& whole) {
  std::vector<Precedent> known;
  const json& list = findMember(whole, "precedents");
  for (const json& one : list.is_array() ? list : json::array()) {
    if (auto root = rootOperationFrom(findMember(one, "root"))) {
      known.push_back({std::move(*root), readText(one, "point")});
    }
  }
  return known;
}

SkippedProgram skippedFrom(const json& json) {
  return {.program = readText(json, "program"), .error = readText(json, "error")};
}

}  // namespace

const FreshMemoryGain* differentFreshMemoryGain(const TunedProof& proof) {
  if (!proof.freshMemory || !proof.freshMemory->speedup || !proof.speedup) {
    return nullptr;
  }
  const double fresh = proof.freshMemory->speedup->estimate;
  const bool differs = fresh < proof.speedup->low || fresh > proof.speedup->high;
  return differs ? &*proof.freshMemory : nullptr;
}
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
  if (!dispatch.skipReason.empty()) {
    one["why_not"] = dispatch.skipReason;
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
  for (const SkippedProgram& one : result.skipped) {
    whole["left_out"].push_back({{"program", one.program}, {"error", one.error}});
  }
  setIf(whole, "own_cpu_ns", result.ownCpuNs);
  return whole;
}

Result<TuneResult> tuneResultFrom(const json& json) {
  return readResult(json, "tune result", [](const nlohmann::json& whole) {
    return TuneResult{.programs = readList(whole, "programs", tunedProgramFrom),
                      .precedents = knownPrecedents(whole),
                      .skipped = readList(whole, "left_out", skippedFrom),
                      .ownCpuNs = readField<std::int64_t>(whole, "own_cpu_ns")};
  });
}

}  // namespace hone::model
