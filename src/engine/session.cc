#include "engine/session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.h"
#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "engine/screening.h"
#include "stats/summary.h"

namespace hone::engine {
namespace {

using iree::CompileRequest;
using model::Outcome;
using Route = CompileRequest::Route;

/// Compiled and measured in turns of so many: results come early, and little is redone after a
/// kill.
constexpr std::size_t kChunk = 16;
/// The fraction of a time budget after which nothing new is tried.
constexpr double kTryShare = 0.6;
/// Screening is too rough to be wrong by more than so many places.
constexpr std::size_t kMaxRacers = 24;
constexpr const char* kTwinKey = "twin";

std::string keyOf(const Plan& plan, const Candidate& candidate, std::size_t number) {
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

}  // namespace

Session::Session(const Workbench& bench, const Plan& plan, const std::filesystem::path& folder)
    : compiler_(bench.compiler),
      runner_(bench.runner.with(plan.memory)),
      store_(bench.store),
      progress_(bench.progress),
      run_(bench.run),
      elsewhere_(bench.elsewhere),
      plan_(plan),
      sampler_(runner_),
      verifier_(runner_, plan.programs.front(), plan.inputs, folder),
      clock_(plan.budget),
      log_(bench.store, bench.run) {
  if (plan.otherInputs) {
    otherVerifier_.emplace(runner_, plan.programs.front(), *plan.otherInputs, folder);
  }
  for (const Candidate& candidate : plan.candidates) {
    add(candidate);
  }
  twin_.candidate = plan.candidates.front();
  twin_.candidate.config.name = fmt::format("{} (again)", twin_.candidate.config.name);
  twin_.key = scoped(kTwinKey);
}

std::string Session::scoped(std::string_view name) const {
  return plan_.scope.empty() ? std::string(name) : fmt::format("{} {}", name, plan_.scope);
}

void Session::add(Candidate candidate) {
  Entry entry;
  entry.key = keyOf(plan_, candidate, entries_.size());
  entry.call.function = plan_.programs[candidate.program].function;
  entry.call.inputs = plan_.inputs.arguments;
  entry.candidate = std::move(candidate);
  if (const store::Trial* known = log_.find(entry.key)) {
    entry.trial = known->id;
    entry.content = known->artifact;
    // What failed in a race or a final later on has no place in another.
    const bool sound = known->outcome == Outcome::ok || known->outcome == Outcome::tooSlow;
    entry.passed = sound && known->details.passed.value_or(false);
    entry.sameAs = known->details.sameAs;
    entry.screenNs = known->details.screenNs.value_or(0);
  }
  entries_.push_back(std::move(entry));
}

Result<void> Session::restore() {
  const auto run = HONE_TRY(store_.run(run_));
  if (run) {
    const auto& paces = run->details.paces;
    if (const auto pace = paces.find(scoped("pace")); pace != paces.end()) {
      pace_ = Pace{pace->second.iterations, pace->second.repetitions, pace->second.warmUp};
    }
  }
  HONE_CHECK(log_.restore());
  if (const store::Trial* twin = log_.find(twin_.key)) {
    twin_.trial = twin->id;
  }
  entries_.clear();
  for (const Candidate& candidate : plan_.candidates) {
    add(candidate);
  }
  return {};
}

Result<void> Session::tryPlanned() {
  std::size_t count = entries_.size();
  if (plan_.budget.trials) {
    count = std::min(count, static_cast<std::size_t>(*plan_.budget.trials) + 1);
  }
  progress_.best({});
  progress_.stage(
      "trials", {.total = static_cast<std::int64_t>(count), .atMost = clock_.leftUntil(kTryShare)});
  for (std::size_t at = 0; at < count && (at == 0 || !clock_.spent(kTryShare)); at += kChunk) {
    HONE_CHECK(trySome(at, std::min(kChunk, count - at)));
  }
  return {};
}

Result<std::size_t> Session::tryProposed(std::size_t most) {
  std::size_t count = std::min(kChunk, most);
  if (plan_.budget.trials) {
    const auto allowed = static_cast<std::size_t>(*plan_.budget.trials) + 1;
    count = allowed > entries_.size() ? std::min(count, allowed - entries_.size()) : 0;
  }
  if (plan_.proposer == nullptr || count == 0) {
    return std::size_t{0};
  }
  auto configs = HONE_TRY(plan_.proposer->propose(count));
  const std::size_t first = entries_.size();
  for (model::Config& config : configs) {
    add({0, std::move(config)});
  }
  unlearned_ = first;
  HONE_CHECK(trySome(first, configs.size()));
  if (sent_.empty()) {
    learn();
  }
  return configs.size();
}

void Session::learn() {
  for (; plan_.proposer != nullptr && unlearned_ > 0 && unlearned_ < entries_.size();
       ++unlearned_) {
    plan_.proposer->learn(entries_[unlearned_].candidate.config, timeOf(entries_[unlearned_]));
  }
}

Result<void> Session::tryAll() {
  HONE_CHECK(tryPlanned());
  HONE_CHECK(receive());
  while (plan_.proposer != nullptr && !clock_.spent(kTryShare)) {
    if (HONE_TRY(tryProposed()) == 0) {
      break;
    }
    HONE_CHECK(receive());
  }
  return {};
}

std::optional<double> Session::timeOf(const Entry& entry) const {
  if (!entry.sameAs.empty()) {
    const auto same = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const Entry& other) { return other.key == entry.sameAs; });
    return same == entries_.end() ? std::nullopt : timeOf(*same);
  }
  return entry.screenNs > 0 ? std::optional(entry.screenNs) : std::nullopt;
}

bool Session::anyAttributes() const {
  return plan_.proposer != nullptr ||
         std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return !entry.candidate.config.attributes.empty(); });
}

Result<std::vector<iree::Compiled>> Session::compile(std::span<const std::size_t> which,
                                                     Route route) {
  std::vector<CompileRequest> requests;
  for (const std::size_t index : which) {
    requests.push_back(requestFor(plan_, entries_[index].candidate, route));
    requests.back().wallLimit = patience_.limit();
  }
  const auto lock = HONE_TRY(MachineLock::forCompiling());
  return compiler_.compileAll(requests, {});
}

void Session::take(Entry& entry, const iree::Compiled& compiled) {
  entry.call.module = compiled.module;
  if (!compiled.function.empty()) {
    entry.call.function = compiled.function;
  }
}

Result<void> Session::trySome(std::size_t first, std::size_t count) {
  std::vector<std::size_t> left;
  for (std::size_t i = first; i < first + count; ++i) {
    // The baseline's results may be what the others are held against.
    if (i == 0 || entries_[i].trial == 0) {
      left.push_back(i);
    }
  }
  if (elsewhere_ != nullptr) {
    return sendScreening(left);
  }
  const auto compiled = HONE_TRY(compile(left, anyAttributes() ? Route::batched : Route::whole));
  const auto lock = HONE_TRY(MachineLock::forMeasuring());
  for (std::size_t i = 0; i < left.size(); ++i) {
    HONE_CHECK(settle(left[i], compiled[i]));
    progress_.best(bestText());
    progress_.step(plan_.scope);
  }
  return {};
}

Result<void> Session::findModules(std::span<const std::size_t> which) {
  std::vector<std::size_t> missing;
  for (const std::size_t index : which) {
    if (entries_[index].call.module.empty()) {
      missing.push_back(index);
    }
  }
  const auto compiled = HONE_TRY(compile(missing, anyAttributes() ? Route::batched : Route::whole));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    take(entries_[missing[i]], compiled[i]);
  }
  return {};
}

const Session::Entry* Session::equalBinary(const Entry& entry) const {
  for (const Entry& other : entries_) {
    if (&other != &entry && other.trial != 0 && other.content == entry.content &&
        other.sameAs.empty()) {
      return &other;
    }
  }
  return nullptr;
}

std::size_t Session::tried() const {
  return static_cast<std::size_t>(std::count_if(
      entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.trial != 0; }));
}

double Session::incumbentNs() const {
  double best = 0;
  for (const Entry& entry : entries_) {
    if (entry.passed && (best == 0 || entry.screenNs < best)) {
      best = entry.screenNs;
    }
  }
  return best;
}

std::string Session::bestText() const {
  const double bestNs = incumbentNs();
  if (!plan_.selects || bestNs == 0) {
    return {};
  }
  const double gain = baselineNs() / bestNs;
  return gain > 1 ? fmt::format("{} ({:.2f}x)", humanTime(bestNs), gain) : humanTime(bestNs);
}

std::vector<std::size_t> Session::passedCandidates() const {
  std::vector<std::size_t> passed;
  const double slowest = plan_.onlyGains ? std::min(kScreenFactor * incumbentNs(), baselineNs())
                                         : kScreenFactor * incumbentNs();
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].passed && (!plan_.selects || entries_[i].screenNs <= slowest)) {
      passed.push_back(i);
    }
  }
  if (plan_.selects) {
    std::stable_sort(passed.begin(), passed.end(), [this](std::size_t a, std::size_t b) {
      return entries_[a].screenNs < entries_[b].screenNs;
    });
    passed.resize(std::min(passed.size(), kMaxRacers));
  }
  return passed;
}

std::int64_t Session::referenceCpuNs() const {
  return verifier_.referenceCpuNs() + (otherVerifier_ ? otherVerifier_->referenceCpuNs() : 0);
}

}  // namespace hone::engine
