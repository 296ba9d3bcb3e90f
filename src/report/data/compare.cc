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
/// How likely it may be that any of the verdicts is wrong: a thousand intervals of 95 % each would
/// have dozens of false alarms among them.
constexpr double kWrongAtAll = 0.05;

Change changeOf(stats::Verdict verdict) {
  switch (verdict) {
    case stats::Verdict::improved:
      return Change::faster;
    case stats::Verdict::neutral:
      return Change::same;
    case stats::Verdict::regressed:
      return Change::slower;
    case stats::Verdict::ambiguous:
      return Change::unsure;
  }
  return Change::unsure;
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

Result<store::Run> runOf(const StoredRun& stored) {
  auto run = HONE_TRY(stored.store.run(stored.run));
  if (!run) {
    return userError("there is no run {}; `hone runs` lists them", stored.run);
  }
  return std::move(*run);
}

Result<std::vector<Measured>> measuredIn(const StoredRun& stored, const store::Run& run,
                                         bool cpuTime) {
  // Samples first: a trial that a writer adds in between is then there without, never they alone.
  const auto samples = HONE_TRY(stored.store.samples(stored.run));
  const auto trials = HONE_TRY(stored.store.trials(stored.run));
  return measuredOf(run, trials, TrialTimes(samples, cpuTime));
}

/// The relative difference that the same binaries on the same machine show: what the two runs
/// differ by although nothing changed.
double floorOf(const std::vector<std::pair<const Measured*, const Measured*>>& equal) {
  constexpr double kMost = 0.9;  // one odd pair of many is no reason to see nothing
  std::vector<double> differences;
  for (const auto& [before, after] : equal) {
    differences.push_back(
        std::abs(std::log(stats::median(before->timesNs) / stats::median(after->timesNs))));
  }
  return differences.empty() ? 0 : std::expm1(stats::quantile(differences, kMost));
}

/// What was dropped as too slow works, too; it has only few rounds.
bool works(const Measured& one) {
  return one.outcome == Outcome::ok || one.outcome == Outcome::tooSlow;
}

bool timed(const Measured& one) {
  return works(one) && !one.timesNs.empty() && stats::median(one.timesNs) > 0;
}

/// Some that failed before, or that nobody timed, are nothing to compare: nothing.
std::optional<ComparedItem> compared(const Measured& before, const Measured& after,
                                     const RunComparison& runs, const CompareRunsOptions& options) {
  if (!timed(before)) {
    return std::nullopt;
  }
  ComparedItem thing;
  thing.label = before.label;
  thing.choiceBefore = before.choice;
  thing.choiceAfter = after.choice;
  thing.beforeNs = stats::median(before.timesNs);
  if (!works(after)) {
    thing.change = Change::broken;
    thing.message = fmt::format("{}: {}", model::nameOf(after.outcome), after.message);
    return thing;
  }
  if (!timed(after)) {
    return std::nullopt;
  }
  thing.afterNs = stats::median(after.timesNs);
  thing.sameBinary = !before.artifact.empty() && before.artifact == after.artifact;
  thing.comparison = stats::compareApart(
      {before.timesNs, after.timesNs, runs.floor},
      {.margin = options.margin, .confidence = runs.confidence, .seed = options.seed});
  thing.change =
      thing.sameBinary && runs.sameMachine ? Change::same : changeOf(thing.comparison.verdict);
  return thing;
}

/// The worst first: by what became of it, then by the ratio.
bool worse(const ComparedItem& a, const ComparedItem& b) {
  return std::pair(a.change, a.comparison.speedup.estimate) <
         std::pair(b.change, b.comparison.speedup.estimate);
}

std::vector<std::string> left(const std::vector<Measured>& all,
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

std::size_t RunComparison::count(Change change) const {
  return static_cast<std::size_t>(
      std::count_if(things.begin(), things.end(),
                    [&](const ComparedItem& thing) { return thing.change == change; }));
}

bool RunComparison::gotWorse() const {
  return count(Change::slower) > 0 || count(Change::broken) > 0 || missing > 0;
}

Result<RunComparison> compareRuns(const StoredRun& before, const StoredRun& after,
                                  const CompareRunsOptions& options) {
  RunComparison comparison;
  comparison.before = HONE_TRY(runOf(before));
  comparison.after = HONE_TRY(runOf(after));
  if (comparison.before.verb != comparison.after.verb) {
    return userError("run {} is of hone {} and run {} of hone {}: they measured different things",
                     before.run, comparison.before.verb, after.run, comparison.after.verb);
  }
  comparison.margin = options.margin;
  // Times that mean something in both: CPU time only where it ranks both.
  comparison.cpuTime = ranksByCpu(comparison.before) && ranksByCpu(comparison.after);
  noteDifferences(comparison);
  const auto first = HONE_TRY(measuredIn(before, comparison.before, comparison.cpuTime));
  const auto second = HONE_TRY(measuredIn(after, comparison.after, comparison.cpuTime));
  const auto inFirst = byKey(first);
  const auto inSecond = byKey(second);
  comparison.onlyBefore = left(first, inSecond);
  comparison.onlyAfter = left(second, inFirst);

  std::vector<std::pair<const Measured*, const Measured*>> both;
  std::vector<std::pair<const Measured*, const Measured*>> equal;
  for (const Measured& one : first) {
    if (const auto at = inSecond.find(one.key); at != inSecond.end()) {
      const Measured& other = *at->second;
      both.emplace_back(&one, &other);
      if (comparison.sameMachine && !one.artifact.empty() && one.artifact == other.artifact &&
          timed(one) && timed(other) && one.outcome == Outcome::ok &&
          other.outcome == Outcome::ok) {
        equal.emplace_back(&one, &other);
      }
    } else if (comparison.after.status != store::RunStatus::finished && timed(one)) {
      ++comparison.missing;
    }
  }
  comparison.equalBinaries = equal.size();
  comparison.floor = floorOf(equal);
  comparison.confidence =
      1 - kWrongAtAll / static_cast<double>(std::max<std::size_t>(1, both.size()));
  for (const auto& [one, other] : both) {
    if (auto thing = compared(*one, *other, comparison, options)) {
      comparison.things.push_back(std::move(*thing));
    }
  }
  std::stable_sort(comparison.things.begin(), comparison.things.end(), worse);
  return comparison;
}

}  // namespace hone::report
