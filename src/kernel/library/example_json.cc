#include "kernel/library/example_json.h"

#include <nlohmann/json.hpp>

namespace hone::kernel {

using nlohmann::json;

json toJson(const Example& example) {
  return {{"name", example.name},
          {"technique", example.technique},
          {"language", example.language},
          {"title", example.title},
          {"text", example.text},
          {"before", example.before},
          {"after", example.after},
          {"speedup", example.speedup > 0 ? json(example.speedup) : json()},
          {"shipped", example.shipped}};
}

Example exampleFrom(const json& json) {
  Example example;
  example.name = json.at("name");
  example.technique = json.at("technique");
  example.language = json.at("language");
  example.title = json.at("title");
  example.text = json.at("text");
  example.before = json.at("before");
  example.after = json.at("after");
  example.speedup = json.at("speedup").is_null() ? 0 : json.at("speedup").get<double>();
  example.shipped = json.at("shipped");
  return example;
}

}  // namespace hone::kernel
