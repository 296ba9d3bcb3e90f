#include "model/result/run_failure.h"

#include <nlohmann/json.hpp>

namespace hone::model {

nlohmann::json toJson(const RunFailure& failure) { return {{"error", failure.error}}; }

RunFailure runFailureFrom(const nlohmann::json& json) {
  const auto error = json.is_object() ? json.find("error") : json.end();
  return {error != json.end() && error->is_string() ? error->get<std::string>() : ""};
}

}  // namespace hone::model
