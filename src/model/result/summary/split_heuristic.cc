#include "model/result/summary/split_heuristic.h"

#include <nlohmann/json.hpp>

#include "model/result/json_reader.h"

namespace hone::model {
namespace {

nlohmann::json toJson(const Band& band) {
  nlohmann::json steps = nlohmann::json::array();
  for (const Step& step : band.steps) {
    steps.push_back({{"reduction_below", step.reductionBelow}, {"limit", step.limit}});
  }
  return {{"output_below", band.outputBelow}, {"steps", std::move(steps)}, {"limit", band.limit}};
}

Result<Band> bandFrom(const nlohmann::json& json) {
  Band band;
  std::vector<nlohmann::json> steps;
  JsonReader reader(json, "band");
  reader.required("output_below", band.outputBelow);
  reader.required("steps", steps);
  reader.required("limit", band.limit);
  HONE_CHECK(reader.finish());
  for (const nlohmann::json& one : steps) {
    Step step;
    JsonReader stepReader(one, "step");
    stepReader.required("reduction_below", step.reductionBelow);
    stepReader.required("limit", step.limit);
    HONE_CHECK(stepReader.finish());
    band.steps.push_back(step);
  }
  return band;
}

nlohmann::json toJson(const MeasuredRange& range) {
  return {{"shapes", range.shapes},
          {"output", {range.minOutput, range.maxOutput}},
          {"reduction", {range.minReduction, range.maxReduction}}};
}

Result<MeasuredRange> rangeFrom(const nlohmann::json& json) {
  MeasuredRange range;
  std::vector<std::int64_t> output;
  std::vector<std::int64_t> reduction;
  JsonReader reader(json, "range");
  reader.required("shapes", range.shapes);
  reader.required("output", output);
  reader.required("reduction", reduction);
  HONE_CHECK(reader.finish());
  if (output.size() != 2 || reduction.size() != 2) {
    return userError("range: 'output' and 'reduction' must have two numbers");
  }
  range.minOutput = output[0];
  range.maxOutput = output[1];
  range.minReduction = reduction[0];
  range.maxReduction = reduction[1];
  return range;
}

nlohmann::json toJson(const Heuristic& heuristic) {
  nlohmann::json bands = nlohmann::json::array();
  for (const Band& band : heuristic.ladder.bands) {
    bands.push_back(toJson(band));
  }
  nlohmann::json written = {{"kind", nameOf(heuristic.kind)},
                            {"form", nameOf(heuristic.form)},
                            {"large_parallel", heuristic.returns.largeParallel},
                            {"small_reduction", heuristic.returns.smallReduction},
                            {"ratio", heuristic.returns.ratio},
                            {"bands", std::move(bands)},
                            {"cap", heuristic.ladder.cap}};
  // Unknown in results of older versions.
  if (heuristic.returns.modestReduction != 0) {
    written["modest_reduction"] = heuristic.returns.modestReduction;
  }
  if (heuristic.range.shapes > 0) {
    written["range"] = toJson(heuristic.range);
  }
  return written;
}

Result<Heuristic> heuristicFrom(const nlohmann::json& json) {
  Heuristic heuristic;
  std::string kind;
  std::string form;
  std::vector<nlohmann::json> bands;
  nlohmann::json range;
  JsonReader reader(json, "heuristic");
  reader.required("kind", kind);
  reader.required("form", form);
  reader.required("large_parallel", heuristic.returns.largeParallel);
  reader.required("small_reduction", heuristic.returns.smallReduction);
  reader.required("ratio", heuristic.returns.ratio);
  reader.optional("modest_reduction", heuristic.returns.modestReduction);
  reader.required("bands", bands);
  reader.required("cap", heuristic.ladder.cap);
  reader.optional("range", range);
  HONE_CHECK(reader.finish());
  if (!range.is_null()) {  // absent in results of older versions
    heuristic.range = HONE_TRY(rangeFrom(range));
  }
  heuristic.kind = kind == nameOf(ReductionKind::convolution) ? ReductionKind::convolution
                                                              : ReductionKind::matmul;
  heuristic.form = form == nameOf(SourceForm::chain) ? SourceForm::chain : SourceForm::functions;
  if (kind != nameOf(heuristic.kind) || form != nameOf(heuristic.form)) {
    return userError("heuristic: unknown kind '{}' or form '{}'", kind, form);
  }
  for (const nlohmann::json& band : bands) {
    heuristic.ladder.bands.push_back(HONE_TRY(bandFrom(band)));
  }
  return heuristic;
}

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

nlohmann::json toJson(const ValidationCounts& counts) {
  return {{"improved", counts.improved},
          {"neutral", counts.neutral},
          {"ambiguous", counts.ambiguous},
          {"regressed", counts.regressed},
          {"failed", counts.failed}};
}

Result<ValidationCounts> countsFrom(const nlohmann::json& json) {
  ValidationCounts counts;
  JsonReader reader(json, "validated");
  reader.required("improved", counts.improved);
  reader.required("neutral", counts.neutral);
  reader.required("ambiguous", counts.ambiguous);
  reader.required("regressed", counts.regressed);
  reader.required("failed", counts.failed);
  HONE_CHECK(reader.finish());
  return counts;
}

nlohmann::json toJson(const FittedHeuristic& fitted) {
  nlohmann::json json = {{"heuristic", toJson(fitted.heuristic)},
                         {"in_sample", toJson(fitted.inSample)},
                         {"left_out", toJson(fitted.crossValidated)},
                         {"code_lines", fitted.codeLines}};
  if (fitted.validated) {
    json["validated"] = toJson(*fitted.validated);
  }
  return json;
}

Result<FittedHeuristic> fittedFrom(const nlohmann::json& json) {
  FittedHeuristic fitted;
  nlohmann::json heuristic;
  nlohmann::json inSample;
  nlohmann::json crossValidated;
  JsonReader reader(json, "fit");
  reader.required("heuristic", heuristic);
  reader.required("in_sample", inSample);
  reader.required("left_out", crossValidated);
  reader.required("code_lines", fitted.codeLines);
  nlohmann::json validated;
  reader.optional("validated", validated);
  HONE_CHECK(reader.finish());
  if (!validated.is_null()) {
    fitted.validated = HONE_TRY(countsFrom(validated));
  }
  fitted.heuristic = HONE_TRY(heuristicFrom(heuristic));
  fitted.inSample = HONE_TRY(regretFrom(inSample));
  fitted.crossValidated = HONE_TRY(regretFrom(crossValidated));
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

std::string_view nameOf(SourceForm form) {
  return form == SourceForm::chain ? "chain" : "functions";
}

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

}  // namespace hone::model
