#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/result/json_reader.h"
#include "split/fit/recommendation.h"

namespace hone::split {
namespace {

using model::JsonReader;

constexpr const char* kFile = "recommendation.json";

nlohmann::json toJson(const Regret& regret) {
  return {{"shapes", regret.shapes},
          {"unknown", regret.unknown},
          {"geomean_ratio", regret.geomeanRatio},
          {"worst_ratio", regret.worstRatio},
          {"total_us", regret.totalUs},
          {"best_total_us", regret.bestTotalUs},
          {"improved", regret.improved},
          {"neutral", regret.neutral},
          {"regressed", regret.regressed},
          {"speedup", regret.speedup}};
}

Result<Regret> regretFrom(const nlohmann::json& json) {
  Regret regret;
  JsonReader reader(json, "regret");
  reader.required("shapes", regret.shapes);
  reader.required("unknown", regret.unknown);
  reader.required("geomean_ratio", regret.geomeanRatio);
  reader.required("worst_ratio", regret.worstRatio);
  reader.required("total_us", regret.totalUs);
  reader.required("best_total_us", regret.bestTotalUs);
  reader.required("improved", regret.improved);
  reader.required("neutral", regret.neutral);
  reader.required("regressed", regret.regressed);
  reader.required("speedup", regret.speedup);
  HONE_CHECK(reader.finish());
  return regret;
}

nlohmann::json toJson(const FittedHeuristic& fitted) {
  return {{"heuristic", toJson(fitted.heuristic)},
          {"in_sample", toJson(fitted.inSample)},
          {"left_out", toJson(fitted.leftOut)},
          {"code_lines", fitted.codeLines}};
}

Result<FittedHeuristic> fittedFrom(const nlohmann::json& json) {
  FittedHeuristic fitted;
  nlohmann::json heuristic;
  nlohmann::json inSample;
  nlohmann::json leftOut;
  JsonReader reader(json, "fit");
  reader.required("heuristic", heuristic);
  reader.required("in_sample", inSample);
  reader.required("left_out", leftOut);
  reader.required("code_lines", fitted.codeLines);
  HONE_CHECK(reader.finish());
  fitted.heuristic = HONE_TRY(heuristicFrom(heuristic));
  fitted.inSample = HONE_TRY(regretFrom(inSample));
  fitted.leftOut = HONE_TRY(regretFrom(leftOut));
  return fitted;
}

Result<Recommendation> recommendationFrom(const nlohmann::json& json) {
  Recommendation recommendation;
  nlohmann::json oneD;
  nlohmann::json twoD;
  JsonReader reader(json, "recommendation");
  reader.required("one_d", oneD);
  reader.required("two_d", twoD);
  reader.required("take_two_d", recommendation.takeTwoD);
  reader.required("why", recommendation.why);
  HONE_CHECK(reader.finish());
  recommendation.oneD = HONE_TRY(fittedFrom(oneD));
  recommendation.twoD = HONE_TRY(fittedFrom(twoD));
  return recommendation;
}

}  // namespace

nlohmann::json toJson(std::span<const Recommendation> recommendations) {
  nlohmann::json all = nlohmann::json::array();
  for (const Recommendation& one : recommendations) {
    all.push_back({{"one_d", toJson(one.oneD)},
                   {"two_d", toJson(one.twoD)},
                   {"take_two_d", one.takeTwoD},
                   {"why", one.why}});
  }
  return {{"recommendations", std::move(all)}};
}

Result<std::vector<Recommendation>> recommendationsFrom(const nlohmann::json& json) {
  std::vector<nlohmann::json> all;
  JsonReader reader(json, "recommendations");
  reader.required("recommendations", all);
  HONE_CHECK(reader.finish());
  std::vector<Recommendation> recommendations;
  for (const nlohmann::json& one : all) {
    recommendations.push_back(HONE_TRY(recommendationFrom(one)));
  }
  return recommendations;
}

Result<void> writeRecommendations(const std::filesystem::path& folder,
                                  std::span<const Recommendation> recommendations) {
  return writeFile(folder / kFile, toJson(recommendations).dump(2) + "\n");
}

Result<std::vector<Recommendation>> readRecommendations(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  if (!std::filesystem::exists(file)) {
    return userError("{}: there is no such file; hone split analyze writes it", file.string());
  }
  const std::string text = HONE_TRY(readFile(file));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return userError("{}: this is not JSON; hone split analyze writes it anew", file.string());
  }
  auto read = recommendationsFrom(json);
  return read ? std::move(read) : within(file.string(), read.error());
}

}  // namespace hone::split
