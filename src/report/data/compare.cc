#include "report/data/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "stats/summary.h"

namespace hone::report {
namespace {

using model::Outcome;

constexpr std::array<std::string_view, 5> kNames = {"broken", "slower", "unsure", "same", "faster"};
/// Probability that any verdict is wrong (Bonferroni): a thousand separate 95 % intervals would
/// raise dozens of false alarms.
constexpr double kFamilyErrorRate = 0.05;

Change toChange(stats::Verdict verdict) {
  switch (verdict) {
    case stats::Verdict::improved:
      return Change::faster;
    case stats::Verdict::neutral:
      return Change::same;
    case stats::Verdict::regressed:
      return Change::slower;
    case stats::Verdict::ambiguous:
      return Change::ambiguous;
  }
  return Change::ambiguous;
}

void noteDifference(RunComparison& comparison, std::string_view what, const std::string& before,
                    const std::string& after) {
  if (before != after) {
    comparison.differences.push_back(fmt::format(
        "{}: {} -> {}", what, before.empty() ? "none" : before, after.empty() ? "none" : after));
  }
}

void noteDifferences(RunComparison& comparison) {
  const store::Run& a = comparison.before;
  const store::Run& b = comparison.after;
  comparison.sameMachine = a.host == b.host && a.cpu == b.cpu && a.device == b.device;
  noteDifference(comparison, "machine", a.host, b.host);
  noteDifference(comparison, "CPU", a.cpu, b.cpu);
  noteDifference(comparison, "device", a.device, b.device);
  noteDifference(comparison, "target", a.target, b.target);
  noteDifference(comparison, "compiler", a.compilerRevision, b.compilerRevision);
  noteDifference(comparison, "hone", a.honeVersion, b.honeVersion);
  noteDifference(comparison, "status", std::string(nameOf(a.status)),
                 std::string(nameOf(b.status)));
}

Result<store::Run> loadRun(const StoredRun& stored) {
  auto run = HONE_TRY(stored.store.run(stored.run));
  if (!run) {
    return userError("no run {} found; use `hone runs` to list them", stored.run);
  }
  return std::move(*run);
}

Result<std::vector<Measured>> loadMeasured(const StoredRun& stored, const store::Run& run,
                                           bool cpuTime) {
  // Samples first: a trial added concurrently then lacks samples, but no sample lacks its trial.
  const auto samples = HONE_TRY(stored.store.samples(stored.run));
  const auto trials = HONE_TRY(stored.store.trials(stored.run));
  return collectMeasured(run, trials, TrialTimes(samples, cpuTime));
}

/// Returns the noise floor: the relative difference between the two runs of identical binaries on
/// the same machine.
double noiseFloor(const std::vector<std::pair<const Measured*, const Measured*>>& equal) {
  constexpr double kQuantile = 0.9;  // tolerates outlier pairs
  std::vector<double> differences;
  for (const auto& [before, after] : equal) {
    differences.push_back(
        std::abs(std::log(stats::median(before->timesNs) / stats::median(after->timesNs))));
  }
  return differences.empty() ? 0 : std::expm1(stats::quantile(differences, kQuantile));
}

/// Returns true if the item gave correct results; `too_slow` items do, with few rounds.
bool isCorrect(const Measured& one) {
  return one.outcome == Outcome::ok || one.outcome == Outcome::tooSlow;
}

bool isTimed(const Measured& one) {
  return isCorrect(one) && !one.timesNs.empty() && stats::median(one.timesNs) > 0;
}

/// Compares two items; returns nothing if the first failed or either was not timed.
std::optional<ComparedItem> compareItems(const Measured& before, const Measured& after,
                                         const RunComparison& runs,
                                         const CompareRunsOptions& options) {
  if (!isTimed(before)) {
    return std::nullopt;
  }
  ComparedItem item;
  item.label = before.label;
  item.choiceBefore = before.choice;
  item.choiceAfter = after.choice;
  item.beforeNs = stats::median(before.timesNs);
  if (!isCorrect(after)) {
    item.change = Change::broken;
    item.message = fmt::format("{}: {}", model::nameOf(after.outcome), after.message);
    return item;
  }
  if (!isTimed(after)) {
    return std::nullopt;
  }
  item.afterNs = stats::median(after.timesNs);
  item.sameBinary = !before.artifact.empty() && before.artifact == after.artifact;
  item.comparison = stats::compareUnpaired(
      {before.timesNs, after.timesNs, runs.floor},
      {.margin = options.margin, .confidence = runs.confidence, .seed = options.seed});
  item.change =
      item.sameBinary && runs.sameMachine ? Change::same : toChange(item.comparison.verdict);
  return item;
}

/// Orders by verdict, worst first, then by speedup.
bool isWorse(const ComparedItem& a, const ComparedItem& b) {
  return std::pair(a.change, a.comparison.speedup.estimate) <
         std::pair(b.change, b.comparison.speedup.estimate);
}

std::vector<std::string> labelsMissingFrom(const std::vector<Measured>& all,
                                           const std::map<std::string, const Measured*>& other) {
  std::vector<std::string> labels;
  for (const Measured& one : all) {
    if (!other.contains(one.key)) {
      labels.push_back(one.label);
    }
  }
  return labels;
}

std::map<std::string, const Measured*> byKey(const std::vector<Measured>& all) {
  std::map<std::string, const Measured*> places;
  for (const Measured& one : all) {
    places.emplace(one.key, &one);
  }
  return places;
}

}  // namespace

std::string_view nameOf(Change change) { return kNames[static_cast<std::size_t>(change)]; }

std::string_view describeChange(Change change) {
  return change == Change::ambiguous ? "ambiguous" : nameOf(change);
}

std::size_t RunComparison::count(Change change) const {
  return static_cast<std::size_t>(
      std::count_if(things.begin(), things.end(),
                    [&](const ComparedItem& item) { return item.change == change; }));
}

bool RunComparison::gotWorse() const {
  return count(Change::slower) > 0 || count(Change::broken) > 0 || missing > 0;
}

Result<RunComparison> compareRuns(const StoredRun& before, const StoredRun& after,
                                  const CompareRunsOptions& options) {
  RunComparison comparison;
  comparison.before = HONE_TRY(loadRun(before));
  comparison.after = HONE_TRY(loadRun(after));
  if (comparison.before.command != comparison.after.command) {
    return userError("cannot compare run {} (hone {}) with run {} (hone {}): different commands",
                     before.run, comparison.before.command, after.run, comparison.after.command);
  }
  comparison.margin = options.margin;
  // CPU time is used only if it ranks both runs.
  comparison.cpuTime = ranksByCpu(comparison.before) && ranksByCpu(comparison.after);
  noteDifferences(comparison);
  const auto first = HONE_TRY(loadMeasured(before, comparison.before, comparison.cpuTime));
  const auto second = HONE_TRY(loadMeasured(after, comparison.after, comparison.cpuTime));
  const auto inFirst = byKey(first);
  const auto inSecond = byKey(second);
  comparison.onlyBefore = labelsMissingFrom(first, inSecond);
  comparison.onlyAfter = labelsMissingFrom(second, inFirst);

  std::vector<std::pair<const Measured*, const Measured*>> both;
  std::vector<std::pair<const Measured*, const Measured*>> equal;
  for (const Measured& one : first) {
    if (const auto at = inSecond.find(one.key); at != inSecond.end()) {
      const Measured& other = *at->second;
      both.emplace_back(&one, &other);
      if (comparison.sameMachine && !one.artifact.empty() && one.artifact == other.artifact &&
          isTimed(one) && isTimed(other) && one.outcome == Outcome::ok &&
          other.outcome == Outcome::ok) {
        equal.emplace_back(&one, &other);
      }
    } else if (comparison.after.status != store::RunStatus::finished && isTimed(one)) {
      ++comparison.missing;
    }
  }
  comparison.equalBinaries = equal.size();
  comparison.floor = noiseFloor(equal);
  comparison.confidence =
      1 - kFamilyErrorRate / static_cast<double>(std::max<std::size_t>(1, both.size()));
  for (const auto& [one, other] : both) {
    if (auto item = compareItems(*one, *other, comparison, options)) {
      comparison.things.push_back(std::move(*item));
    }
  }
  std::stable_sort(comparison.things.begin(), comparison.things.end(), isWorse);
  return comparison;
}

}  // namespace hone::report
