#include "app/split/split_result.h"

#include "app/split/split_tally.h"

namespace hone::app {
namespace {

using split::ValidationRecord;
using stats::Verdict;

model::SplitTally toResult(const Tally& tally) {
  return {.shapes = tally.shapes,
          .totalSpeedup = tally.total(),
          .geomeanSpeedup = tally.geomean(),
          .improved = tally.count(Verdict::improved),
          .neutral = tally.count(Verdict::neutral),
          .regressed = tally.count(Verdict::regressed),
          .ambiguous = tally.count(Verdict::ambiguous)};
}

model::SplitChoice toResult(const split::ValidatedChoice& choice) {
  model::SplitChoice one;
  one.timeUs = choice.timeUs;
  one.verdict = decideVerdict(choice);
  if (choice.comparison) {
    one.speedup = choice.comparison->speedup;
  }
  return one;
}

/// Converts one shape with all ways to split that were compared with the baseline.
model::ValidatedSplit toResult(const ValidationRecord& record, const std::string& taken) {
  model::ValidatedSplit validated{
      .arguments = record.arguments,
      .baselineUs = record.baselineUs > 0 ? std::optional(record.baselineUs) : std::nullopt,
      .taken = taken,
      .choices = {}};
  for (const auto& [way, choice] : record.choices) {
    validated.choices[way] = toResult(choice);
  }
  return validated;
}

void addValidation(const SplitOutcome& outcome, model::SplitResult& result) {
  const auto kinds = kindsByArguments(outcome);
  const auto taken = [&](const ValidationRecord& record) {
    return recommendedWay(outcome, kinds.at(record.arguments));
  };
  for (const char* way : validatedWays(outcome)) {
    result.validation[way] = toResult(makeTally(outcome.validation, way));
  }
  result.validation["recommended"] = toResult(makeTally(outcome.validation, taken));
  for (const ValidationRecord& record : outcome.validation) {
    result.validated.push_back(toResult(record, taken(record)));
  }
}

}  // namespace

model::SplitResult toResult(const SplitOutcome& outcome) {
  model::SplitResult result;
  result.run = outcome.run;
  result.results = outcome.folder.string();
  result.failures = outcome.analysis.sweep.failures;
  result.recommendations = outcome.analysis.recommendations;
  if (outcome.sweepSeconds > 0) {
    result.sweepSeconds = outcome.sweepSeconds;
  }
  result.shapes = outcome.records;
  if (!outcome.validation.empty()) {
    addValidation(outcome, result);
  }
  return result;
}

}  // namespace hone::app
