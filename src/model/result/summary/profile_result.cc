#include "model/result/summary/profile_result.h"

#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

ProfiledProgram profiledProgramFrom(const json& json) {
  return {.name = readText(json, "name"),
          .device = readText(json, "device"),
          .wallNs = readMeasured(json, "wall_ns"),
          .dispatches = readList(json, "dispatches", timedDispatchFrom)};
}

std::optional<std::vector<ProfileRow>> profileRowsFrom(const json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  std::vector<ProfileRow> rows;
  for (const nlohmann::json& one : json.get_ref<const nlohmann::json::array_t&>()) {
    if (auto row = profileRowFrom(one)) {
      rows.push_back(std::move(*row));
    }
  }
  return rows;
}

}  // namespace

json toJson(const TimedDispatch& dispatch) {
  return {{"name", dispatch.name},
          {"calls", dispatch.calls.value_or(0)},
          {"time_ns", dispatch.timeNs.value_or(0)}};
}

TimedDispatch timedDispatchFrom(const json& json) {
  return {.name = readText(json, "name"),
          .calls = readField<std::int64_t>(json, "calls"),
          .timeNs = readField<double>(json, "time_ns")};
}

json toJson(const ProfiledProgram& program) {
  return {{"name", program.name},
          {"device", program.device},
          {"wall_ns", program.wallNs.value_or(0)},
          {"dispatches", listJson(program.dispatches)}};
}

json toJson(const MeasuredRoofline& roofline) {
  return {{"type", roofline.type}, {"gflops", roofline.gflops}, {"gbps", roofline.gbps}};
}

MeasuredRoofline measuredRooflineFrom(const json& json) {
  return {.type = readText(json, "type"), .gflops = json.at("gflops"), .gbps = json.at("gbps")};
}

json toJson(const ProfileResult& result) {
  json document = json::object();
  if (result.rows) {
    document["rows"] = listJson(*result.rows);
  }
  if (result.rooflines) {
    document["rooflines"] = listJson(*result.rooflines);
  }
  setIf(document, "own_cpu_ns", result.ownCpuNs);
  if (result.program) {
    document["program"] = toJson(*result.program);
  }
  return document;
}

Result<ProfileResult> profileResultFrom(const json& json) {
  return readResult(json, "profile result", [](const nlohmann::json& whole) {
    ProfileResult result{.rows = profileRowsFrom(findMember(whole, "rows")),
                         .rooflines = std::nullopt,
                         .ownCpuNs = readField<std::int64_t>(whole, "own_cpu_ns"),
                         .program = std::nullopt};
    if (!findMember(whole, "rooflines").is_null()) {
      result.rooflines = readList(whole, "rooflines", measuredRooflineFrom);
    }
    if (const nlohmann::json& program = findMember(whole, "program"); !program.is_null()) {
      result.program = profiledProgramFrom(program);
    }
    return result;
  });
}

}  // namespace hone::model
