#include "engine/plan/session_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "base/hash.h"
#include "base/text/text.h"
#include "engine/rounds/rounds.h"
#include "engine/rounds/screening.h"
#include "stats/summary.h"

namespace hone::engine {
namespace {

using iree::CompileRequest;
using model::Outcome;
using Route = CompileRequest::Route;

/// Screening is imprecise, but not wrong by more than this many ranks.
constexpr std::size_t kMaxRacers = 24;
constexpr const char* kTwinKey = "twin";
constexpr const char* kAlternative = "onnxruntime";

std::string makeKey(const Plan& plan, const Candidate& candidate, std::size_t number) {
  const Program& program = plan.programs[candidate.program];
  Hasher hasher;
  hasher.field(std::to_string(number))
      .field(program.hash)
      .field(program.function)
      .field(candidate.config.key());
  if (!plan.scope.empty()) {
    hasher.field(plan.scope);
  }
  return hasher.hex();
}

/// Sets the time of the last stage and the speedup over the baseline in that stage. Times of
/// different stages are not comparable: screening reports minima, and the machine may have changed.
void addTime(const SessionState& state, const SessionEntry& entry, Finding& finding) {
  if (!entry.roundTimesNs.empty()) {
    finding.timeNs = stats::median(entry.roundTimesNs);
    return;
  }
  const auto inRace = [&](const SessionEntry& one) {
    return roundTimes(state.tools.log, one.trial, model::Stage::race, state.sampler.rankBy());
  };
  const auto raceTimes = inRace(entry);
  const auto speedups = stats::pairedSpeedups(inRace(state.entries.front()), raceTimes);
  if (!speedups.empty()) {
    std::vector<double> times;
    std::ranges::copy(raceTimes | std::views::values, std::back_inserter(times));
    finding.timeNs = stats::median(times);
    finding.estimatedSpeedup = stats::median(speedups);
  } else if (entry.screenNs > 0) {
    finding.timeNs = entry.screenNs;
    finding.estimatedSpeedup = state.baselineNs() / entry.screenNs;
  }
}

Expectation expectationFrom(const std::string& name) {
  return name == nameOf(Expectation::reference)  ? Expectation::reference
         : name == nameOf(Expectation::baseline) ? Expectation::baseline
                                                 : Expectation::nothing;
}

}  // namespace

SessionState::SessionState(const SessionTools& sessionTools, const Plan& sessionPlan,
                           const std::filesystem::path& folder)
    : tools(sessionTools),
      plan(sessionPlan),
      runner(sessionTools.runner.with(sessionPlan.memory)),
      sampler(runner),
      verifier(runner, sessionPlan.programs.front(), sessionPlan.inputs, folder),
      clock(sessionPlan.budget),
      builder(sessionTools.compiler) {
  if (plan.otherInputs) {
    otherVerifier.emplace(runner, plan.programs.front(), *plan.otherInputs, folder);
  }
  for (const Candidate& candidate : plan.candidates) {
    add(candidate);
  }
  twin.candidate = plan.candidates.front();
  twin.candidate.config.name = fmt::format("{} (again)", twin.candidate.config.name);
  twin.key = scoped(kTwinKey);
  alternative.candidate.config.name = kAlternative;
  alternative.key = scoped(kAlternative);
}

std::string SessionState::scoped(std::string_view name) const {
  return plan.scope.empty() ? std::string(name) : fmt::format("{} {}", name, plan.scope);
}

void SessionState::add(Candidate candidate) {
  SessionEntry entry;
  entry.key = makeKey(plan, candidate, entries.size());
  entry.call.function = plan.programs[candidate.program].function;
  entry.call.inputs = plan.inputs.arguments;
  entry.call.parameters = plan.programs[candidate.program].parameters;
  entry.candidate = std::move(candidate);
  if (const store::Trial* known = tools.log.find(entry.key)) {
    entry.trial = known->id;
    entry.content = known->artifact;
    // A candidate that failed later, in a race or final, is excluded from others.
    const bool sound = known->outcome == Outcome::ok || known->outcome == Outcome::tooSlow;
    entry.passed = sound && known->details.passed.value_or(false);
    entry.sameAs = known->details.sameAs;
    entry.screenNs = known->details.screenNs.value_or(0);
  }
  entries.push_back(std::move(entry));
}

Result<void> SessionState::restore() {
  if (const auto run = HONE_TRY(tools.log.store().run(tools.log.run()))) {
    const auto& paces = run->details.paces;
    if (const auto known = paces.find(scoped("pace")); known != paces.end()) {
      pace = Pace{known->second.iterations, known->second.repetitions, known->second.warmUp};
    }
  }
  for (SessionEntry* entry : {&twin, &alternative}) {
    if (const store::Trial* known = tools.log.find(entry->key)) {
      entry->trial = known->id;
    }
  }
  entries.clear();
  for (const Candidate& candidate : plan.candidates) {
    add(candidate);
  }
  return {};
}

double SessionState::incumbentNs() const {
  double best = 0;
  for (const SessionEntry& entry : entries) {
    if (entry.passed && (best == 0 || entry.screenNs < best)) {
      best = entry.screenNs;
    }
  }
  return best;
}

std::optional<double> SessionState::screeningTime(const SessionEntry& entry) const {
  if (!entry.sameAs.empty()) {
    const auto same = std::ranges::find(entries, entry.sameAs, &SessionEntry::key);
    return same == entries.end() ? std::nullopt : screeningTime(*same);
  }
  return entry.screenNs > 0 ? std::optional(entry.screenNs) : std::nullopt;
}

const SessionEntry* SessionState::equalBinary(const SessionEntry& entry) const {
  for (const SessionEntry& other : entries) {
    if (&other != &entry && other.trial != 0 && other.content == entry.content &&
        other.sameAs.empty()) {
      return &other;
    }
  }
  return nullptr;
}

std::vector<std::size_t> SessionState::passedCandidates() const {
  std::vector<std::size_t> passed;
  const double slowest = plan.onlyGains ? std::min(kScreenFactor * incumbentNs(), baselineNs())
                                        : kScreenFactor * incumbentNs();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].passed && (!plan.selects || entries[i].screenNs <= slowest)) {
      passed.push_back(i);
    }
  }
  if (plan.selects) {
    std::ranges::stable_sort(passed, {}, [this](std::size_t i) { return entries[i].screenNs; });
    passed.resize(std::min(passed.size(), kMaxRacers));
  }
  return passed;
}

std::string SessionState::bestText() const {
  const double bestNs = incumbentNs();
  if (!plan.selects || bestNs == 0) {
    return {};
  }
  const double gain = baselineNs() / bestNs;
  return gain > 1 ? fmt::format("{} ({:.2f}x)", humanTime(bestNs), gain) : humanTime(bestNs);
}

std::vector<Finding> SessionState::findings() const {
  std::vector<Finding> findings;
  for (const SessionEntry& entry : entries) {
    const store::Trial* trial = tools.log.find(entry.key);
    if (trial == nullptr) {
      continue;  // beyond the budget
    }
    Finding finding;
    finding.key = entry.key;
    finding.config = entry.candidate.config;
    finding.outcome = trial->outcome;
    finding.message = trial->message;
    finding.artifact = trial->artifact;
    finding.compileWallNs = trial->compileWallNs;
    finding.roundTimesNs = entry.roundTimesNs;
    finding.comparison = entry.comparison;
    addTime(*this, entry, finding);
    finding.expectation = expectationFrom(trial->details.verified);
    const auto same = std::ranges::find(entries, entry.sameAs, &SessionEntry::key);
    finding.sameAs = same == entries.end() ? "" : same->candidate.config.name;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::optional<Finding> SessionState::alternativeFinding() const {
  const store::Trial* trial = tools.log.find(alternative.key);
  if (trial == nullptr) {
    return std::nullopt;
  }
  Finding finding;
  finding.key = alternative.key;
  finding.config = alternative.candidate.config;
  finding.outcome = trial->outcome;
  finding.message = trial->message;
  finding.roundTimesNs = alternative.roundTimesNs;
  finding.comparison = alternative.comparison;
  finding.timeNs = finding.roundTimesNs.empty() ? 0 : stats::median(finding.roundTimesNs);
  return finding;
}

std::int64_t SessionState::referenceCpuNs() const {
  return verifier.referenceCpuNs() + (otherVerifier ? otherVerifier->referenceCpuNs() : 0);
}

Result<std::vector<iree::Compiled>> SessionState::compile(std::span<const std::size_t> which,
                                                          Route route, std::int64_t deadlineNs) {
  std::vector<CompileRequest> requests;
  for (const std::size_t index : which) {
    requests.push_back(requestFor(plan, entries[index].candidate, route));
    requests.back().deadlineNs = index == 0 ? 0 : deadlineNs;
  }
  return builder.build(std::move(requests));
}

void SessionState::setModule(SessionEntry& entry, const iree::Compiled& compiled) {
  entry.call.module = compiled.module;
  if (!compiled.function.empty()) {
    entry.call.function = compiled.function;
  }
}

Result<void> SessionState::expectDevice(Outcome outcome) const {
  const bool failed = outcome == Outcome::runFailed || outcome == Outcome::runTimeout;
  return failed ? engine::expectDevice(runner) : Result<void>();
}

}  // namespace hone::engine
