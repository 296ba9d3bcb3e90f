#include "app/split/split_report.h"
#include "app/split/split_tally.h"
#include "split/fit/recommendation.h"

// What a run of `hone split` keeps, and prints with --json.

namespace hone::app {
namespace {

using nlohmann::json;
using split::ValidationRecord;
using stats::Verdict;

json tallyJson(const Tally& tally) {
  return {{"shapes", tally.shapes},
          {"total_speedup", tally.total()},
          {"geomean_speedup", tally.geomean()},
          {"improved", tally.count(Verdict::improved)},
          {"neutral", tally.count(Verdict::neutral)},
          {"regressed", tally.count(Verdict::regressed)},
          {"ambiguous", tally.count(Verdict::ambiguous)}};
}

json choiceJson(const split::ValidatedChoice& choice) {
  json one = {{"time_us", choice.timeUs}, {"verdict", nameOf(verdictOf(choice))}};
  if (choice.comparison) {
    const stats::Interval& speedup = choice.comparison->speedup;
    one["speedup"] = {speedup.low, speedup.estimate, speedup.high};
  }
  return one;
}

/// One shape with all ways to split that were held against the compiler's own.
json validatedJson(const ValidationRecord& record, const std::string& taken) {
  json choices = json::object();
  for (const auto& [way, choice] : record.choices) {
    choices[way] = choiceJson(choice);
  }
  return {{"arguments", record.arguments},
          {"baseline_us", record.baselineUs},
          {"taken", taken},
          {"choices", std::move(choices)}};
}

void addValidation(const SplitOutcome& outcome, json& to) {
  const auto kinds = kindsOf(outcome);
  const auto taken = [&](const ValidationRecord& record) {
    return takenFor(outcome, kinds.at(record.arguments));
  };
  for (const char* way : {kOneD, kTwoD, kOracle}) {
    to["validation"][way] = tallyJson(tallyOf(outcome.validation, way));
  }
  to["validation"]["recommended"] = tallyJson(tallyOf(outcome.validation, taken));
  for (const ValidationRecord& record : outcome.validation) {
    to["validated"].push_back(validatedJson(record, taken(record)));
  }
}

}  // namespace

json toJson(const SplitOutcome& outcome) {
  json whole = {{"run", outcome.run},
                {"results", outcome.folder.string()},
                {"failures", outcome.analysis.sweep.failures},
                {"recommendations", split::toJson(std::span(outcome.analysis.recommendations))}};
  if (outcome.sweepSeconds > 0) {
    whole["sweep_seconds"] = outcome.sweepSeconds;
  }
  whole["shapes"] = json::array();
  for (const split::ShapeRecord& record : outcome.records) {
    whole["shapes"].push_back(toJson(record));
  }
  if (!outcome.validation.empty()) {
    addValidation(outcome, whole);
  }
  return whole;
}

}  // namespace hone::app
