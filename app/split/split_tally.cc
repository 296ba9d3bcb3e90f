#include "app/split/split_tally.h"

#include "stats/summary.h"

namespace hone::app {

using split::ValidationRecord;
using stats::Verdict;

std::optional<double> Tally::total() const {
  return timeUs > 0 ? std::optional(baselineUs / timeUs) : std::nullopt;
}

std::optional<double> Tally::geomean() const {
  return speedups.empty() ? std::nullopt : std::optional(stats::geometricMean(speedups));
}

std::int64_t Tally::count(Verdict verdict) const {
  const auto at = verdicts.find(verdict);
  return at == verdicts.end() ? 0 : at->second;
}

Verdict decideVerdict(const split::ValidatedChoice& choice) {
  return choice.comparison ? choice.comparison->verdict : Verdict::neutral;
}

Tally makeTally(const std::vector<ValidationRecord>& records,
                const std::function<std::string(const ValidationRecord&)>& nameWay) {
  Tally tally;
  for (const ValidationRecord& record : records) {
    const auto at = record.choices.find(nameWay(record));
    if (record.baselineUs <= 0 || at == record.choices.end()) {
      continue;
    }
    const split::ValidatedChoice& choice = at->second;
    ++tally.shapes;
    tally.baselineUs += record.baselineUs;
    tally.timeUs += record.baselineUs / choice.speedup();
    tally.speedups.push_back(choice.speedup());
    ++tally.verdicts[decideVerdict(choice)];
  }
  return tally;
}

Tally makeTally(const std::vector<ValidationRecord>& records, const std::string& way) {
  return makeTally(records, [&](const ValidationRecord&) { return way; });
}

std::map<std::string, model::ReductionKind> kindsByArguments(const SplitOutcome& outcome) {
  std::map<std::string, model::ReductionKind> kinds;
  for (const split::ShapeRecord& record : outcome.records) {
    kinds[record.shape.arguments] = record.shape.reduction.kind;
  }
  return kinds;
}

std::vector<const char*> validatedWays(const SplitOutcome& outcome) {
  return outcome.built.empty() ? std::vector{kOneD, kTwoD, kOracle} : std::vector{kBuilt};
}

std::string recommendedWay(const SplitOutcome& outcome, model::ReductionKind kind) {
  if (!outcome.built.empty()) {
    return kBuilt;
  }
  for (const split::Recommendation& one : outcome.analysis.recommendations) {
    if (one.oneD.heuristic.kind == kind &&
        one.oneD.heuristic.form == split::SourceForm::functions) {
      return one.takeTwoD ? kTwoD : kOneD;
    }
  }
  return kOneD;
}

}  // namespace hone::app
