#include "model/result/trial_details.h"

#include "base/text/json.h"
#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

/// Decodes one member; returns false for an unknown name. Throws if the value has another form.
bool takeMember(const std::string& name, const json& value, TrialDetails& details) {
  if (name == "cached") {
    details.cached = value.get<bool>();
  } else if (name == "at_ms") {
    details.atMs = value.get<std::int64_t>();
  } else if (name == "scope") {
    details.scope = value.get<std::string>();
  } else if (name == "proposal") {
    details.proposal = ProposalNote{readField<double>(value, "guess")};
  } else if (name == "same_as") {
    details.sameAs = value.get<std::string>();
  } else if (name == "verified") {
    details.verified = value.get<std::string>();
  } else if (name == "passed") {
    details.passed = value.get<bool>();
  } else if (name == "screen_ns") {
    details.screenNs = value.get<double>();
  } else if (name == "twin") {
    details.twin = value.get<bool>();
  } else if (name == "node_baseline_ns") {
    details.nodeBaselineNs = value.get<double>();
  } else if (name == "screen_times_ns") {
    details.screenTimesNs = value.get<std::vector<double>>();
  } else if (name == "kernel") {
    details.kernel = kernelProposalFrom(value);
  } else if (name == "turn") {
    details.turn = value.get<std::int64_t>();
  } else if (name == "facts") {
    details.facts = jsonText(value);
  } else if (name == "row") {
    auto row = profileRowFrom(value);
    details.row = row ? std::optional(std::move(*row)) : std::nullopt;
    return row.has_value();
  } else {
    return false;
  }
  return true;
}

}  // namespace

json toJson(const TrialDetails& details) {
  json whole = details.others.empty() ? json::object() : json::parse(details.others);
  setIf(whole, "cached", details.cached);
  setIf(whole, "at_ms", details.atMs);
  setText(whole, "scope", details.scope);
  if (details.proposal) {
    whole["proposal"] = json::object();
    setIf(whole["proposal"], "guess", details.proposal->guess);
  }
  setText(whole, "same_as", details.sameAs);
  setText(whole, "verified", details.verified);
  setIf(whole, "passed", details.passed);
  setIf(whole, "screen_ns", details.screenNs);
  if (details.twin) {
    whole["twin"] = true;
  }
  setIf(whole, "node_baseline_ns", details.nodeBaselineNs);
  setIf(whole, "screen_times_ns", details.screenTimesNs);
  if (details.kernel) {
    whole["kernel"] = toJson(*details.kernel);
  }
  setIf(whole, "turn", details.turn);
  if (!details.facts.empty()) {
    whole["facts"] = json::parse(details.facts);
  }
  if (details.row) {
    whole["row"] = toJson(*details.row);
  }
  return whole;
}

TrialDetails trialDetailsFrom(const json& json) {
  TrialDetails details;
  details.others = readMembers(json, [&](const std::string& name, const nlohmann::json& value) {
    return takeMember(name, value, details);
  });
  return details;
}

}  // namespace hone::model
