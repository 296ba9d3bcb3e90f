#include "split/sweep/sweep_unit.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "engine/machine_lock.h"
#include "engine/program/program.h"
#include "engine/rounds/call_trials.h"
#include "engine/rounds/round_policies.h"
#include "engine/rounds/sampler.h"
#include "engine/verifier.h"
#include "iree/mlir/problem_mlir.h"
#include "model/result/summary/split_result.h"
#include "split/sweep/problem_reduction.h"
#include "split/sweep/screening_order.h"
#include "stats/summary.h"

namespace hone::split {
namespace {

using nlohmann::json;

constexpr const char* kFunction = "main";
/// Splits within this factor of the best may be recommended and must be verified.
constexpr double kViable = 1.2;

/// Returns the rounds of a race. Limits differ a lot, so one that takes 1.5 times the best is
/// dropped after a few rounds. Long calls vary less and cost more, so they get fewer rounds. The
/// last rounds are only needed on a busy machine.
engine::PrecisionOptions raceOptions(double bestNs, std::uint64_t seed) {
  constexpr double kLongNs = 0.05e9;
  const bool isLong = bestNs > kLongNs;
  engine::PrecisionOptions options;
  options.minRounds = isLong ? 1 : 3;
  options.maxRounds = isLong ? 8 : 15;
  options.precision = 0.03;
  options.dropFactor = isLong ? 1.15 : 1.5;
  options.seed = seed;
  return options;
}

Timing summarizeTimes(const std::vector<double>& timesNs) {
  const stats::Summary summary = stats::summarize(timesNs);
  constexpr double kNsPerUs = 1000;
  return {summary.mean / kNsPerUs, summary.min / kNsPerUs, summary.max / kNsPerUs,
          summary.median / kNsPerUs, summary.stddev / kNsPerUs};
}

std::string makeTrialKey(const SweepProblem& problem, const Choice& choice) {
  return fmt::format("{} {}", nameOf(problem.problem),
                     !choice.sizes.empty()  ? fmt::format("{}", choice.sizes)
                     : choice.label.empty() ? "unsplit"
                                            : choice.label);
}

model::Config toConfig(const Choice& choice) {
  model::Config config;
  config.name = choice.name();
  if (!choice.sizes.empty()) {
    config.attributes.push_back(
        {"", "", "iree_linalg_ext.split_reduction", fmt::format("{}", choice.sizes)});
  }
  return config;
}

/// Returns the reduction without sizes: the compiler never splits it by a limit.
model::Reduction neverSplit(model::Reduction reduction) {
  reduction.sizes.clear();
  return reduction;
}

/// A choice that is being measured.
struct Entry {
  const Choice* choice = nullptr;
  engine::CallTrial run;
  std::vector<double> timesNs;  ///< empty: not measured
  bool skipped = false;         ///< not screened: its neighbours are too slow

  /// Returns true for the baseline and no split, which are measured even if they are slow.
  [[nodiscard]] bool isMandatory() const { return choice->isBaseline || choice->isNoSplit; }
};

Entry makeEntry(const SweepProblem& problem, const CompiledProblem& whole, std::size_t index,
                const engine::Inputs& inputs) {
  Entry entry;
  entry.choice = &whole.choices[index];
  const iree::SplitCompiled& compiled = whole.compiled[index];
  entry.run.call = {compiled.module, compiled.function, inputs.arguments};
  store::Trial& trial = entry.run.trial;
  trial.key = makeTrialKey(problem, *entry.choice);
  trial.problem = nameOf(problem.problem);
  trial.config = toConfig(*entry.choice);
  // One module contains all choices: each gets an equal share of the compile time.
  const auto share = static_cast<std::int64_t>(whole.choices.size());
  trial.compileWallNs = compiled.report.ending.wallNs / share;
  trial.compileCpuNs = compiled.report.ending.cpuNs / share;
  return entry;
}

/// Measures the choices of one problem.
class ShapeMeasurement {
 public:
  ShapeMeasurement(const iree::ModuleRunner& runner, engine::TrialLog& log, std::uint64_t seed)
      : sampler_(runner), log_(log), trials_(log, sampler_), seed_(seed) {}

  /// Screens and measures the choices and verifies those that may be recommended.
  [[nodiscard]] Result<void> run(const CompiledProblem& compiled, std::vector<Entry>& entries,
                                 engine::Verifier& verifier);

 private:
  /// Screens the choices and returns the best time; 0 if none runs.
  [[nodiscard]] Result<double> screenAll(const CompiledProblem& compiled,
                                         std::vector<Entry>& entries);
  /// Measures the choices that passed screening side by side.
  [[nodiscard]] Result<void> measure(std::vector<Entry>& entries, double bestNs);
  /// Verifies the baseline and the choices that may be recommended.
  [[nodiscard]] Result<void> verifyViable(std::vector<Entry>& entries, engine::Verifier& verifier);

  engine::Sampler sampler_;
  engine::TrialLog& log_;
  engine::CallTrials trials_;
  std::uint64_t seed_;
};

Result<void> ShapeMeasurement::run(const CompiledProblem& compiled, std::vector<Entry>& entries,
                                   engine::Verifier& verifier) {
  const double bestNs = HONE_TRY(screenAll(compiled, entries));
  HONE_CHECK(measure(entries, bestNs));
  return verifyViable(entries, verifier);
}

Result<double> ShapeMeasurement::screenAll(const CompiledProblem& compiled,
                                           std::vector<Entry>& entries) {
  std::optional<double> bestNs;
  ScreeningCutoff cutoff;
  for (const std::size_t i : screeningOrder(compiled.choices)) {
    Entry& entry = entries[i];
    if (cutoff.shouldSkip(*entry.choice)) {
      entry.skipped = true;
      continue;
    }
    HONE_CHECK(trials_.screen(entry.run, compiled.compiled[i].report,
                              entry.isMandatory() ? std::nullopt : bestNs));
    cutoff.record(*entry.choice, entry.run.trial.outcome == model::Outcome::tooSlow);
    if (entry.run.runs()) {
      bestNs = std::min(bestNs.value_or(*entry.run.screenNs()), *entry.run.screenNs());
    }
  }
  return bestNs.value_or(0);
}

Result<void> ShapeMeasurement::measure(std::vector<Entry>& entries, double bestNs) {
  std::vector<engine::Participant> participants;
  std::vector<Entry*> measured;
  for (Entry& entry : entries) {
    if (entry.skipped) {
      continue;
    }
    if (!entry.isMandatory()) {
      HONE_CHECK(trials_.eliminateSlow(entry.run, bestNs));
    }
    if (entry.run.runs()) {
      participants.push_back(trials_.participant(entry.run));
      measured.push_back(&entry);
    } else if (entry.run.trial.outcome == model::Outcome::tooSlow) {
      entry.timesNs = entry.run.screenTimesNs;
    }
  }
  engine::Rounds rounds(sampler_.rankBy(), log_, model::Stage::race);
  engine::PrecisionOptions options = raceOptions(bestNs, seed_);
  for (const Entry* one : measured) {
    options.screenNs.push_back(*one->run.screenNs());
  }
  engine::PrecisionPolicy policy(participants.size(), std::move(options));
  HONE_CHECK(engine::runRounds(rounds, participants, policy));
  auto times = policy.take();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i]->timesNs = std::move(times[i]);
    if (measured[i]->timesNs.empty()) {
      measured[i]->run.trial.outcome = model::Outcome::runFailed;
      measured[i]->run.trial.message = "failed while measuring";
    }
  }
  return {};
}

Result<void> ShapeMeasurement::verifyViable(std::vector<Entry>& entries,
                                            engine::Verifier& verifier) {
  std::vector<Entry*> order;
  for (Entry& entry : entries) {
    if (!entry.skipped && entry.run.runs()) {
      order.push_back(&entry);
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    return std::ranges::min(a->timesNs) < std::ranges::min(b->timesNs);
  });
  double bestNs = 0;  // of verified choices
  for (Entry* entry : order) {
    const double timeNs = std::ranges::min(entry->timesNs);
    if (bestNs > 0 && timeNs > kViable * bestNs && !entry->choice->isBaseline) {
      continue;
    }
    HONE_CHECK(trials_.verify(entry->run, verifier));
    if (!entry->run.runs()) {
      entry->timesNs.clear();
    } else if (bestNs == 0) {
      bestNs = timeNs;
    }
  }
  return {};
}

/// Copies the measurements to the record.
void fill(ShapeRecord& record, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const bool eliminated = entry.run.trial.outcome == model::Outcome::tooSlow;
    if (entry.timesNs.empty() && (entry.skipped || eliminated)) {
      continue;  // not measured, but not a failure
    }
    if (entry.timesNs.empty()) {
      record.failures.push_back(fmt::format("{} of {}: {}: {}", entry.choice->name(),
                                            record.shape.arguments, nameOf(entry.run.trial.outcome),
                                            entry.run.trial.message));
      continue;
    }
    const Timing timing = summarizeTimes(entry.timesNs);
    for (const std::int64_t limit : entry.choice->limits) {
      record.shape.limits[limit] = timing;
    }
    if (entry.choice->isBaseline) {
      record.shape.baseline = timing;
    }
    if (entry.choice->isNoSplit) {
      record.shape.noSplit = timing;
    }
  }
}

/// Keeps the choices to measure.
CompiledProblem selectChoices(CompiledProblem problem, const Rerun& rerun) {
  if (rerun.empty()) {
    return problem;
  }
  CompiledProblem selected{problem.report, problem.reduction, {}, {}};
  for (std::size_t i = 0; i < problem.choices.size(); ++i) {
    if (rerun.includes(problem.choices[i])) {
      selected.choices.push_back(std::move(problem.choices[i]));
      selected.compiled.push_back(std::move(problem.compiled[i]));
    }
  }
  return selected;
}

}  // namespace

json toJson(const SweepProblem& problem) {
  return {{"arguments", problem.arguments}, {"problem", model::toJson(problem.problem)}};
}

Result<SweepProblem> sweepProblemFrom(const json& json) {
  return SweepProblem{json.at("arguments"), HONE_TRY(model::problemFrom(json.at("problem")))};
}

json toJson(const SweepSettings& settings) {
  return {{"limits", settings.limits},
          {"flags", settings.flags},
          {"compiler", settings.compiler},
          {"seed", settings.seed},
          {"rerun", toJson(settings.rerun)}};
}

SweepSettings sweepSettingsFrom(const json& json) {
  return {.limits = json.at("limits"),
          .flags = json.at("flags"),
          .compiler = json.at("compiler"),
          .seed = json.at("seed"),
          .rerun = rerunFrom(json.at("rerun"))};
}

Result<std::vector<iree::CompileRequest>> requestsFor(std::span<const SweepProblem> problems,
                                                      const std::vector<std::string>& flags,
                                                      const std::filesystem::path& folder) {
  std::vector<iree::CompileRequest> requests;
  for (const SweepProblem& problem : problems) {
    const std::string text = iree::emitMlir(problem.problem, kFunction);
    iree::CompileRequest request;
    request.source = folder / fmt::format("{}.mlir", hashBytes(text).substr(0, 16));
    request.sourceHash = hashBytes(text);
    request.flags = flags;
    request.function = kFunction;
    HONE_CHECK(writeFile(request.source, text));
    requests.push_back(std::move(request));
  }
  return requests;
}

Result<json> SweepUnit::order(engine::FileShare& /*files*/) const {
  return json{{"problem", toJson(problem_)}, {"settings", toJson(settings_)}};
}

Result<void> SweepUnit::prepare(std::span<engine::Unit* const> batch) {
  std::vector<SweepUnit*> units;
  std::vector<SweepProblem> problems;
  for (engine::Unit* one : batch) {
    // NOLINTNEXTLINE(*-static-cast-downcast): all units of a batch are of one kind
    units.push_back(static_cast<SweepUnit*>(one));
    problems.push_back(units.back()->problem_);
  }
  const auto requests = HONE_TRY(requestsFor(problems, settings_.flags, tools_.folder));
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  auto compiled = HONE_TRY(tools_.compile(requests));
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i]->source_ = requests[i].source;
    units[i]->compiled_ = selectChoices(std::move(compiled[i]), units[i]->settings_.rerun);
  }
  return {};
}

Result<json> SweepUnit::perform(engine::UnitContext& context) {
  if (!compiled_) {
    engine::Unit* self = this;
    HONE_CHECK(prepare(std::span(&self, 1)));
  }
  ShapeRecord record;
  record.shape.arguments = problem_.arguments;
  record.shape.reduction = compiled_->reduction.value_or(
      neverSplit(findReduction(problem_.problem).value_or(model::Reduction{})));
  record.compiled = static_cast<std::int64_t>(compiled_->choices.size());
  if (compiled_->choices.empty()) {
    record.failures.push_back(
        fmt::format("{}: does not compile: {}", problem_.arguments, compiled_->report.message));
    return model::toJson(record);
  }
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  const engine::Program program = engine::makeProgram(problem_.problem, source_, kFunction);
  const engine::Inputs inputs =
      HONE_TRY(engine::makeInputs(program, {}, settings_.seed, scratch.path()));
  const iree::ModuleRunner& runner = tools_.runnerAt(context.place);
  engine::Verifier verifier(runner, program, inputs, scratch.path());
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < compiled_->choices.size(); ++i) {
    entries.push_back(makeEntry(problem_, *compiled_, i, inputs));
  }
  ShapeMeasurement measurement(runner, context.log, settings_.seed);
  HONE_CHECK(measurement.run(*compiled_, entries, verifier));
  context.referenceCpuNs += verifier.referenceCpuNs();
  fill(record, entries);
  return model::toJson(record);
}

}  // namespace hone::split
