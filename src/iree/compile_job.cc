#include "iree/compile_job.h"

#include <nlohmann/json.hpp>

namespace hone::iree {

nlohmann::json toJson(const CompileJob& job) {
  nlohmann::json attributes = nlohmann::json::array();
  for (const model::OpAttribute& attribute : job.attributes) {
    attributes.push_back({attribute.dispatch, attribute.op, attribute.name, attribute.value});
  }
  return {{"kind", static_cast<int>(job.kind)},
          {"source", job.source.string()},
          {"from", job.from},
          {"to", job.to},
          {"flags", job.flags},
          {"attributes", std::move(attributes)},
          {"verify", job.verifyIr},
          {"threads", job.threads},
          {"output", job.output.string()},
          {"wall_ms", job.limits.wall.count()},
          {"memory", job.limits.memoryBytes}};
}

CompileJob compileJobFrom(const nlohmann::json& json) {
  CompileJob job;
  job.kind = static_cast<CompileJob::Kind>(json.at("kind").get<int>());
  job.source = json.at("source").get<std::string>();
  job.from = json.at("from").get<std::string>();
  job.to = json.at("to").get<std::string>();
  job.flags = json.at("flags").get<std::vector<std::string>>();
  for (const nlohmann::json& entry : json.at("attributes")) {
    job.attributes.push_back({entry.at(0), entry.at(1), entry.at(2), entry.at(3)});
  }
  job.verifyIr = json.at("verify").get<bool>();
  job.threads = json.at("threads").get<bool>();
  job.output = json.at("output").get<std::string>();
  job.limits.wall = std::chrono::milliseconds(json.at("wall_ms").get<std::int64_t>());
  job.limits.memoryBytes = json.at("memory").get<std::uint64_t>();
  return job;
}

}  // namespace hone::iree
