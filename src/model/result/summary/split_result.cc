#include "model/result/summary/split_result.h"

#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

json toJson(const SplitTally& tally) {
  return {{"shapes", tally.shapes},
          {"total_speedup", orNull(tally.totalSpeedup)},
          {"geomean_speedup", orNull(tally.geomeanSpeedup)},
          {"improved", tally.improved},
          {"neutral", tally.neutral},
          {"regressed", tally.regressed},
          {"ambiguous", tally.ambiguous}};
}

SplitTally splitTallyFrom(const json& json) {
  return {.shapes = json.at("shapes"),
          .totalSpeedup = readField<double>(json, "total_speedup"),
          .geomeanSpeedup = readField<double>(json, "geomean_speedup"),
          .improved = json.at("improved"),
          .neutral = json.at("neutral"),
          .regressed = json.at("regressed"),
          .ambiguous = json.at("ambiguous")};
}

json intervalList(const stats::Interval& interval) {
  return {interval.low, interval.estimate, interval.high};
}

json toJson(const SplitChoice& choice) {
  json one = {{"time_us", orNull(choice.timeUs)}};
  if (choice.verdict) {
    one["verdict"] = nameOf(*choice.verdict);
  }
  if (choice.speedup) {
    one["speedup"] = intervalList(*choice.speedup);
  }
  return one;
}

json toJson(const ValidatedSplit& validated) {
  json choices = json::object();
  for (const auto& [way, choice] : validated.choices) {
    choices[way] = toJson(choice);
  }
  return {{"arguments", validated.arguments},
          {"baseline_us", orNull(validated.baselineUs)},
          {"taken", validated.taken},
          {"choices", std::move(choices)}};
}

ValidatedSplit validatedSplitFrom(const json& json) {
  ValidatedSplit validated{.arguments = readText(json, "arguments"),
                           .baselineUs = readMeasured(json, "baseline_us"),
                           .taken = readText(json, "taken"),
                           .choices = {}};
  for (const auto& [way, choice] : findMember(json, "choices").items()) {
    validated.choices[way] = {.timeUs = readMeasured(choice, "time_us"),
                              .verdict = readVerdict(choice, "verdict"),
                              .speedup = intervalFrom(findMember(choice, "speedup"))};
  }
  return validated;
}

/// Decodes each recommendation separately, so that one of another version does not hide the others.
std::vector<Recommendation> knownRecommendations(const json& list) {
  std::vector<Recommendation> known;
  for (const json& one : list.is_array() ? list : json::array()) {
    if (auto read = recommendationsFrom({{"recommendations", json::array({one})}})) {
      known.push_back(std::move(read->front()));
    }
  }
  return known;
}

json toJson(const AnnotatedOperation& operation) {
  json one = {{"sizes", operation.sizes}, {"gain_alone", orNull(operation.gainAlone)}};
  if (operation.reduction) {
    one["reduction"] = toJson(*operation.reduction);
  }
  return one;
}

AnnotatedOperation annotatedOperationFrom(const json& json) {
  AnnotatedOperation operation;
  if (auto reduction = reductionFrom(findMember(json, "reduction"))) {
    operation.reduction = std::move(*reduction);
  }
  operation.sizes = readField<std::vector<std::int64_t>>(json, "sizes").value_or(operation.sizes);
  operation.gainAlone = readField<double>(json, "gain_alone");
  return operation;
}

}  // namespace

std::optional<SplitChoice> ValidatedSplit::recommended() const {
  const auto found = choices.find(taken);
  return found == choices.end() ? std::nullopt : std::optional(found->second);
}

json toJson(const SplitResult& result) {
  json whole = {{"results", result.results},
                {"failures", result.failures},
                {"recommendations", toJson(std::span(result.recommendations))}};
  setIf(whole, "run", result.run);
  setIf(whole, "sweep_seconds", result.sweepSeconds);
  if (result.shapes) {
    whole["shapes"] = listJson(*result.shapes);
  }
  for (const auto& [way, tally] : result.validation) {
    whole["validation"][way] = toJson(tally);
  }
  for (const ValidatedSplit& validated : result.validated) {
    whole["validated"].push_back(toJson(validated));
  }
  return whole;
}

Result<SplitResult> splitResultFrom(const json& json) {
  SplitResult all = HONE_TRY(readResult(json, "split result", [](const nlohmann::json& whole) {
    SplitResult result;
    result.run = readField<std::int64_t>(whole, "run");
    result.results = readText(whole, "results");
    result.failures = readTexts(whole, "failures");
    result.recommendations =
        knownRecommendations(findMember(findMember(whole, "recommendations"), "recommendations"));
    result.sweepSeconds = readField<double>(whole, "sweep_seconds");
    for (const auto& [way, tally] : findMember(whole, "validation").items()) {
      result.validation[way] = splitTallyFrom(tally);
    }
    result.validated = readList(whole, "validated", validatedSplitFrom);
    return result;
  }));
  if (const nlohmann::json& shapes = findMember(json, "shapes"); shapes.is_array()) {
    all.shapes.emplace();
    for (const nlohmann::json& one : shapes) {
      all.shapes->push_back(HONE_TRY(shapeRecordFrom(one)));
    }
  }
  return all;
}

json toJson(const SplitAnnotation& annotation) {
  json whole = {{"output", annotation.output.empty() ? json() : json(annotation.output)},
                {"operations", json::array()}};
  for (const AnnotatedOperation& operation : annotation.operations) {
    whole["operations"].push_back(toJson(operation));
  }
  setIf(whole, "run", annotation.run);
  if (annotation.verdict) {
    whole["verdict"] = nameOf(*annotation.verdict);
  }
  if (annotation.speedup) {
    whole["speedup"] = intervalList(*annotation.speedup);
  }
  return whole;
}

Result<std::optional<SplitAnnotation>> splitAnnotationFrom(const json& json) {
  return readResult(
      json, "split annotation", [](const nlohmann::json& whole) -> std::optional<SplitAnnotation> {
        if (findMember(whole, "operations").is_null()) {
          return std::nullopt;
        }
        return SplitAnnotation{.run = readField<std::int64_t>(whole, "run"),
                               .output = readText(whole, "output"),
                               .verdict = readVerdict(whole, "verdict"),
                               .speedup = intervalFrom(findMember(whole, "speedup")),
                               .operations = readList(whole, "operations", annotatedOperationFrom)};
      });
}

}  // namespace hone::model
