#include "model/result/comparison_json.h"

#include <nlohmann/json.hpp>
#include <string>

namespace hone::model {

using nlohmann::json;

json toJson(const stats::Comparison& comparison) {
  return {{"verdict", nameOf(comparison.verdict)},
          {"low", comparison.speedup.low},
          {"estimate", comparison.speedup.estimate},
          {"high", comparison.speedup.high},
          {"floor", comparison.floor},
          {"rounds", comparison.rounds}};
}

stats::Comparison comparisonFrom(const json& json) {
  return {
      stats::verdictFrom(json.at("verdict").get<std::string>()).value_or(stats::Verdict::ambiguous),
      {json.at("low"), json.at("estimate"), json.at("high")},
      json.at("floor"),
      json.at("rounds")};
}

}  // namespace hone::model
