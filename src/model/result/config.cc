#include "model/result/config.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "model/result/json_reader.h"

namespace hone::model {
namespace {

Result<OpAttribute> attributeFrom(const nlohmann::json& json) {
  JsonReader reader(json, "attribute");
  OpAttribute attribute;
  reader.optional("dispatch", attribute.dispatch);
  reader.optional("op", attribute.op);
  reader.required("name", attribute.name);
  reader.required("value", attribute.value);
  HONE_CHECK(reader.finish());
  return attribute;
}

}  // namespace

std::string Config::key() const {
  Hasher hasher;
  for (const std::string& flag : flags) {
    hasher.field("flag").field(flag);
  }
  for (const OpAttribute& attribute : attributes) {
    hasher.field("attribute")
        .field(attribute.dispatch)
        .field(attribute.op)
        .field(attribute.name)
        .field(attribute.value);
  }
  return hasher.hex();
}

nlohmann::json toJson(const Config& config) {
  nlohmann::json json = {{"name", config.name}};
  if (!config.flags.empty()) {
    json["flags"] = config.flags;
  }
  for (const OpAttribute& attribute : config.attributes) {
    json["attributes"].push_back({{"dispatch", attribute.dispatch},
                                  {"op", attribute.op},
                                  {"name", attribute.name},
                                  {"value", attribute.value}});
  }
  return json;
}

Result<Config> configFrom(const nlohmann::json& json) {
  JsonReader reader(json, "config");
  Config config;
  nlohmann::json attributes = nlohmann::json::array();
  reader.optional("name", config.name);
  reader.optional("flags", config.flags);
  reader.optional("attributes", attributes);
  HONE_CHECK(reader.finish());
  if (!attributes.is_array()) {
    return userError("config: 'attributes' must be a list");
  }
  for (const nlohmann::json& entry : attributes) {
    config.attributes.push_back(HONE_TRY(attributeFrom(entry)));
  }
  return config;
}

}  // namespace hone::model
