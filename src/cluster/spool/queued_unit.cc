#include "cluster/spool/queued_unit.h"

#include "store/export.h"

namespace hone::cluster {

using nlohmann::json;

json toJson(const QueuedUnit& unit) {
  return {{"key", unit.key},       {"kind", unit.kind},
          {"order", unit.order},   {"only_compile", unit.onlyCompile},
          {"deaths", unit.deaths}, {"failures", unit.failures},
          {"nodes", unit.nodes}};
}

std::optional<QueuedUnit> unitFrom(const json& json) {
  try {
    return QueuedUnit{json.at("key"),          json.at("kind"),   json.at("order"),
                      json.at("only_compile"), json.at("deaths"), json.at("failures"),
                      json.at("nodes")};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

json toJson(const Answer& answer) {
  json whole = {{"key", answer.key},
                {"killed", answer.killed},
                {"result", answer.result},
                {"node", store::toJson(answer.node)},
                {"worker", answer.worker}};
  if (answer.error) {
    whole["error"] = answer.error->message;
  }
  return whole;
}

std::optional<Answer> answerFrom(const json& json) {
  try {
    Answer answer;
    answer.key = json.at("key");
    answer.killed = json.at("killed");
    answer.result = json.at("result");
    answer.node = nodeFrom(json.at("node"));
    answer.worker = json.at("worker");
    if (json.contains("error")) {
      answer.error = Error{Fault::user, json.at("error").get<std::string>()};
    }
    return answer;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

store::Node nodeFrom(const json& json) {
  return {json.value("name", ""), json.value("cpu", ""), json.value("device", ""),
          json.value("driver", "")};
}

}  // namespace hone::cluster
