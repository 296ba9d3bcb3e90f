#include "model/result/run_details.h"

#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

constexpr std::string_view kPace = "pace";

json toJson(const MeasuringPace& pace) {
  return {
      {"iterations", pace.iterations}, {"repetitions", pace.repetitions}, {"warm_up", pace.warmUp}};
}

MeasuringPace measuringPaceFrom(const json& json) {
  return {.iterations = json.at("iterations"),
          .repetitions = json.at("repetitions"),
          .warmUp = readField<bool>(json, "warm_up").value_or(true)};
}

json toJson(const ClusterCost& cost) {
  return {{"scheduler_calls", cost.schedulerCalls},
          {"files_written", cost.filesWritten},
          {"units", cost.units},
          {"given_back", cost.requeued},
          {"head_cpu_ns", cost.headCpuNs}};
}

ClusterCost clusterCostFrom(const json& json) {
  return {.schedulerCalls = json.at("scheduler_calls"),
          .filesWritten = json.at("files_written"),
          .units = json.at("units"),
          .requeued = json.at("given_back"),
          .headCpuNs = json.at("head_cpu_ns")};
}

SearchedKnob searchedKnobFrom(const json& json) {
  return {.name = readText(json, "name"),
          .ordered = readField<bool>(json, "ordered").value_or(true)};
}

/// Decodes each value of an object with `read`.
template <typename Read>
auto readMap(const json& object, const Read& read) {
  std::map<std::string, decltype(read(object))> all;
  for (const auto& [name, value] : object.get_ref<const json::object_t&>()) {
    all.emplace(name, read(value));
  }
  return all;
}

std::vector<KernelTurn> turnsFrom(const json& list) {
  return readList({{"turns", list}}, "turns", kernelTurnFrom);
}

std::vector<SearchedKnob> knobsFrom(const json& list) {
  return readList({{"knobs", list}}, "knobs", searchedKnobFrom);
}

/// Decodes one member; returns false for an unknown name. Throws if the value has another form.
bool takeMember(const std::string& name, const json& value, RunDetails& details) {
  if (name == "spaces") {
    details.spaces = readMap(value, knobsFrom);
  } else if (name == "kernels") {
    details.kernels = readMap(value, turnsFrom);
  } else if (name == "done") {
    details.done = readMap(value, kernelOutcomeIn);
  } else if (name == "cluster") {
    details.cluster = value.get<std::string>();
  } else if (name == "cluster_cost") {
    details.clusterCost = clusterCostFrom(value);
  } else if (name == kPace || name.starts_with("pace ")) {
    details.paces[name] = measuringPaceFrom(value);
  } else {
    return false;
  }
  return true;
}

}  // namespace

json toJson(const RunDetails& details) {
  json whole = details.others.empty() ? json::object() : json::parse(details.others);
  for (const auto& [name, pace] : details.paces) {
    whole[name] = toJson(pace);
  }
  for (const auto& [scope, knobs] : details.spaces) {
    json& list = whole["spaces"][scope] = json::array();
    for (const SearchedKnob& knob : knobs) {
      list.push_back({{"name", knob.name}, {"ordered", knob.ordered}});
    }
  }
  for (const auto& [kernel, turns] : details.kernels) {
    whole["kernels"][kernel] = listJson(turns);
  }
  for (const auto& [kernel, outcome] : details.done) {
    whole["done"][kernel] = toJson(outcome);
  }
  setIf(whole, "cluster", details.cluster);
  if (details.clusterCost) {
    whole["cluster_cost"] = toJson(*details.clusterCost);
  }
  return whole;
}

RunDetails runDetailsFrom(const json& json) {
  RunDetails details;
  details.others = readMembers(json, [&](const std::string& name, const nlohmann::json& value) {
    return takeMember(name, value, details);
  });
  return details;
}

bool RunDetails::operator==(const RunDetails& other) const {
  return toJson(*this) == toJson(other);
}

}  // namespace hone::model
