#include "iree/compile/compile_job.h"

#include <nlohmann/json.hpp>

namespace hone::iree {
namespace {

nlohmann::json listOf(const std::vector<model::OpAttribute>& attributes) {
  nlohmann::json list = nlohmann::json::array();
  for (const model::OpAttribute& attribute : attributes) {
    list.push_back({attribute.dispatch, attribute.op, attribute.name, attribute.value});
  }
  return list;
}

std::vector<model::OpAttribute> attributesFrom(const nlohmann::json& list) {
  std::vector<model::OpAttribute> attributes;
  for (const nlohmann::json& entry : list) {
    attributes.push_back({entry.at(0), entry.at(1), entry.at(2), entry.at(3)});
  }
  return attributes;
}

}  // namespace

nlohmann::json toJson(const CompileJob& job) {
  nlohmann::json variants = nlohmann::json::array();
  for (const auto& attributes : job.variants) {
    variants.push_back(listOf(attributes));
  }
  nlohmann::json assignments = nlohmann::json::array();
  for (const KnobAssignment& assignment : job.assignments) {
    assignments.push_back({assignment.constraints, assignment.values});
  }
  return {{"kind", static_cast<int>(job.kind)},
          {"source", job.source.string()},
          {"from", job.from},
          {"to", job.to},
          {"flags", job.flags},
          {"attributes", listOf(job.attributes)},
          {"variants", std::move(variants)},
          {"splits", job.splits},
          {"assignments", std::move(assignments)},
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
  job.attributes = attributesFrom(json.at("attributes"));
  for (const nlohmann::json& list : json.at("variants")) {
    job.variants.push_back(attributesFrom(list));
  }
  job.splits = json.at("splits").get<std::vector<SplitSizes>>();
  for (const nlohmann::json& assignment : json.at("assignments")) {
    job.assignments.push_back({assignment.at(0), assignment.at(1)});
  }
  job.verifyIr = json.at("verify").get<bool>();
  job.threads = json.at("threads").get<bool>();
  job.output = json.at("output").get<std::string>();
  job.limits.wall = std::chrono::milliseconds(json.at("wall_ms").get<std::int64_t>());
  job.limits.memoryBytes = json.at("memory").get<std::uint64_t>();
  return job;
}

model::Outcome outcomeOf(CompileReport::Status status) {
  using Status = CompileReport::Status;
  using model::Outcome;
  switch (status) {
    case Status::ok:
      return Outcome::ok;
    case Status::timedOut:
      return Outcome::compileTimeout;
    case Status::noMatch:
    case Status::badFlag:
      return Outcome::invalid;
    default:
      return Outcome::compileFailed;
  }
}

}  // namespace hone::iree
