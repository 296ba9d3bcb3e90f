#include "model/result/summary/bench_result.h"

#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

json toJson(const BenchCandidate& candidate) {
  json entry = {{"name", candidate.name},
                {"message", candidate.message},
                {"artifact", candidate.artifact},
                {"verified", candidate.verified},
                {"time_ns", candidate.timeNs.value_or(0)}};
  if (candidate.outcome) {
    entry["outcome"] = nameOf(*candidate.outcome);
  }
  if (!candidate.sameAs.empty()) {
    entry["same_as"] = candidate.sameAs;
  }
  setIf(entry, "estimated_speedup", candidate.estimatedSpeedup);
  if (candidate.timeInterval) {
    entry["time_interval_ns"] = {candidate.timeInterval->lowNs, candidate.timeInterval->highNs};
  }
  if (candidate.verdict) {
    entry["verdict"] = nameOf(*candidate.verdict);
  }
  if (candidate.speedup) {
    entry["speedup"] = intervalJson(*candidate.speedup);
  }
  setIf(entry, "noise_floor", candidate.noiseFloor);
  setIf(entry, "rounds", candidate.rounds);
  return entry;
}

std::optional<TimeRange> timeRangeFrom(const json& json) {
  return json.is_array() && json.size() == 2 ? std::optional(TimeRange{json[0], json[1]})
                                             : std::nullopt;
}

BenchCandidate benchCandidateFrom(const json& json) {
  return {.name = readText(json, "name"),
          .outcome = outcomeFrom(readText(json, "outcome")),
          .message = readText(json, "message"),
          .artifact = readText(json, "artifact"),
          .verified = readText(json, "verified"),
          .sameAs = readText(json, "same_as"),
          .timeNs = readMeasured(json, "time_ns"),
          .estimatedSpeedup = readField<double>(json, "estimated_speedup"),
          .timeInterval = timeRangeFrom(findMember(json, "time_interval_ns")),
          .verdict = readVerdict(json, "verdict"),
          .speedup = intervalFrom(findMember(json, "speedup")),
          .noiseFloor = readField<double>(json, "noise_floor"),
          .rounds = readField<std::int64_t>(json, "rounds")};
}

}  // namespace

json toJson(const BenchResult& result) {
  json document = {{"target", result.target},
                   {"device", result.device},
                   {"ranked_by", result.rankedBy},
                   {"candidates", json::array()}};
  for (const BenchCandidate& candidate : result.candidates) {
    document["candidates"].push_back(toJson(candidate));
  }
  setIf(document, "run", result.run);
  setIf(document, "own_cpu_ns", result.ownCpuNs);
  return document;
}

Result<BenchResult> benchResultFrom(const json& json) {
  return readResult(json, "bench result", [](const nlohmann::json& whole) {
    return BenchResult{.run = readField<std::int64_t>(whole, "run"),
                       .target = readText(whole, "target"),
                       .device = readText(whole, "device"),
                       .rankedBy = readText(whole, "ranked_by"),
                       .candidates = readList(whole, "candidates", benchCandidateFrom),
                       .ownCpuNs = readField<std::int64_t>(whole, "own_cpu_ns")};
  });
}

}  // namespace hone::model
