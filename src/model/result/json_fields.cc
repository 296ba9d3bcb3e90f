#include "model/result/json_fields.h"

#include "base/text/json.h"

namespace hone::model {

using nlohmann::json;

const json& findMember(const json& object, const char* name) {
  static const json kNull;
  if (object.is_null()) {
    return kNull;
  }
  const auto& members = object.get_ref<const json::object_t&>();
  const auto found = members.find(name);
  return found == members.end() ? kNull : found->second;
}

std::string readText(const json& object, const char* name) {
  return readField<std::string>(object, name).value_or("");
}

std::vector<std::string> readTexts(const json& object, const char* name) {
  return readField<std::vector<std::string>>(object, name).value_or(std::vector<std::string>());
}

std::optional<double> readMeasured(const json& object, const char* name) {
  const auto number = readField<double>(object, name);
  return number && *number > 0 ? number : std::nullopt;
}

std::optional<stats::Verdict> readVerdict(const json& object, const char* name) {
  return stats::verdictFrom(readText(object, name));
}

std::optional<stats::Interval> intervalFrom(const json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  if (json.is_array()) {
    return json.size() == 3 ? std::optional(stats::Interval{json[0], json[1], json[2]})
                            : std::nullopt;
  }
  const auto low = readField<double>(json, "low");
  const auto estimate = readField<double>(json, json.contains("estimate") ? "estimate" : "speedup");
  const auto high = readField<double>(json, "high");
  return low && estimate && high ? std::optional(stats::Interval{*low, *estimate, *high})
                                 : std::nullopt;
}

json intervalJson(const stats::Interval& interval) {
  return {{"low", interval.low}, {"estimate", interval.estimate}, {"high", interval.high}};
}

void setText(json& object, const char* name, const std::string& text) {
  if (!text.empty()) {
    object[name] = text;
  }
}

std::string readMembers(const json& object,
                        const std::function<bool(const std::string&, const json&)>& take) {
  json others = json::object();
  if (!object.is_object()) {
    return "";
  }
  for (const auto& [name, value] : object.items()) {
    bool taken = false;
    try {
      taken = take(name, value);
    } catch (const json::exception&) {
      taken = false;
    }
    if (!taken) {
      others[name] = value;
    }
  }
  return others.empty() ? "" : jsonText(others);
}

json orNull(const std::optional<double>& number) { return number ? json(*number) : json(); }

}  // namespace hone::model
