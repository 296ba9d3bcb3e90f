#include "model/result/summary/split_shape.h"

#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "model/result/json_reader.h"

namespace hone::model {
namespace {

nlohmann::json toJson(const Timing& timing) {
  return {timing.meanUs, timing.minUs, timing.maxUs, timing.medianUs, timing.stddevUs};
}

nlohmann::json toJson(const std::optional<Timing>& timing) {
  return timing ? toJson(*timing) : nlohmann::json();
}

Result<std::optional<Timing>> timingFrom(const nlohmann::json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  if (!json.is_array() || json.size() != 5) {
    return userError("invalid timing: expected a list of five numbers");
  }
  for (const nlohmann::json& number : json) {
    if (!number.is_number()) {
      return userError("invalid timing: expected a list of five numbers");
    }
  }
  return Timing{json[0], json[1], json[2], json[3], json[4]};
}

}  // namespace

nlohmann::json toJson(const ShapeRecord& record) {
  nlohmann::json limits = nlohmann::json::object();
  for (const auto& [limit, timing] : record.shape.limits) {
    limits[std::to_string(limit)] = toJson(timing);
  }
  return {{"race", record.race},
          {"arguments", record.shape.arguments},
          {"reduction", toJson(record.shape.reduction)},
          {"limits", std::move(limits)},
          {"baseline", toJson(record.shape.baseline)},
          {"no_split", toJson(record.shape.noSplit)},
          {"failures", record.failures},
          {"compiled", record.compiled}};
}

Result<ShapeRecord> shapeRecordFrom(const nlohmann::json& json) {
  ShapeRecord record;
  nlohmann::json reduction;
  nlohmann::json limits;
  nlohmann::json baseline;
  nlohmann::json noSplit;
  JsonReader reader(json, "shape");
  reader.optional("race", record.race);
  reader.required("arguments", record.shape.arguments);
  reader.required("reduction", reduction);
  reader.required("limits", limits);
  reader.required("baseline", baseline);
  reader.required("no_split", noSplit);
  reader.optional("failures", record.failures);
  reader.optional("compiled", record.compiled);
  HONE_CHECK(reader.finish());
  record.shape.reduction = HONE_TRY(reductionFrom(reduction));
  record.shape.baseline = HONE_TRY(timingFrom(baseline));
  record.shape.noSplit = HONE_TRY(timingFrom(noSplit));
  for (const auto& [name, value] : limits.items()) {
    const auto limit = parseInt(name);
    const auto timing = HONE_TRY(timingFrom(value));
    if (!limit || !timing) {
      return userError("shape: invalid limit or timing '{}'", name);
    }
    record.shape.limits[*limit] = *timing;
  }
  return record;
}

}  // namespace hone::model
