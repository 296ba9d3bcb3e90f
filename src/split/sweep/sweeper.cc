#include "split/sweep/sweeper.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "engine/program.h"
#include "engine/round_policies.h"
#include "engine/verifier.h"
#include "iree/mlir/problem_mlir.h"
#include "split/sweep/look_order.h"
#include "split/sweep/problem_reduction.h"
#include "stats/summary.h"

namespace hone::split {
namespace {

/// Compiled and measured in turns of so many problems: results come early, and little is redone
/// after a kill.
constexpr std::size_t kChunk = 16;
constexpr const char* kFunction = "main";

/// What is this close to the best may be recommended, and must be right.
constexpr double kViable = 1.2;

/// Limits lie far apart: what takes half as long again as the best is out after a few rounds. Long
/// calls vary less, and cost more: there fewer rounds tell as much.
engine::PrecisionOptions raceOptions(double bestNs, std::uint64_t seed) {
  constexpr double kLongNs = 0.05e9;
  const bool isLong = bestNs > kLongNs;
  engine::PrecisionOptions options;
  options.minRounds = isLong ? 1 : 3;
  options.maxRounds = isLong ? 3 : 5;
  options.precision = 0.03;
  options.dropFactor = isLong ? 1.15 : 1.5;
  options.seed = seed;
  return options;
}

Timing timingOf(const std::vector<double>& timesNs) {
  const stats::Summary summary = stats::summarize(timesNs);
  constexpr double kNsPerUs = 1000;
  return {summary.mean / kNsPerUs, summary.min / kNsPerUs, summary.max / kNsPerUs,
          summary.median / kNsPerUs, summary.stddev / kNsPerUs};
}

std::string keyOf(const SweepProblem& problem, const Choice& choice) {
  return fmt::format("{} {}", nameOf(problem.problem),
                     !choice.sizes.empty()  ? fmt::format("{}", choice.sizes)
                     : choice.label.empty() ? "unsplit"
                                            : choice.label);
}

model::Config configOf(const Choice& choice) {
  model::Config config;
  config.name = choice.name();
  if (!choice.sizes.empty()) {
    config.attributes.push_back(
        {"", "", "iree_linalg_ext.split_reduction", fmt::format("{}", choice.sizes)});
  }
  return config;
}

/// How much faster the best limit is than the compiler's own choice.
double bestGain(const ShapeResult& shape) {
  double gain = 0;
  for (const auto& [limit, timing] : shape.limits) {
    if (shape.baseline && timing.typicalUs() > 0) {
      gain = std::max(gain, shape.baseline->typicalUs() / timing.typicalUs());
    }
  }
  return gain;
}

/// The sizes of an operation that the compiler never splits by a limit.
model::Reduction neverSplit(model::Reduction reduction) {
  reduction.sizes.clear();
  return reduction;
}

}  // namespace

/// A problem on its way.
struct Sweeper::Item {
  std::size_t index = 0;
  const SweepProblem* problem = nullptr;
  std::filesystem::path source;
  CompiledProblem compiled;
};

/// A way to split it on its way.
struct Sweeper::Entry {
  const Choice* choice = nullptr;
  engine::CallTrial run;
  std::vector<double> timesNs;  ///< none: not measured
  bool skipped = false;         ///< not tried: its neighbours are too slow

  /// The baseline and no split are measured however slow they are.
  [[nodiscard]] bool isMandatory() const { return choice->isBaseline || choice->isNoSplit; }
};

Result<void> Sweeper::restore(std::map<std::string, ShapeRecord> earlier) {
  earlier_ = std::move(earlier);
  return trials_.restore();
}

std::string Sweeper::raceOf(const SweepProblem& problem) const {
  Hasher hasher;
  hasher.field("split race 2").field(options_.compiler).field(runner_.device().name);
  hasher.field(nameOf(problem.problem)).field(fmt::format("{}", options_.limits));
  for (const std::string& flag : options_.flags) {
    hasher.field(flag);
  }
  return hasher.hex();
}

const ShapeRecord* Sweeper::earlier(const SweepProblem& problem) const {
  const auto found = earlier_.find(raceOf(problem));
  return found == earlier_.end() ? nullptr : &found->second;
}

Result<std::vector<Sweeper::Item>> Sweeper::compileItems(std::span<const SweepProblem> problems,
                                                         std::span<const std::size_t> which,
                                                         const std::filesystem::path& folder) {
  std::vector<SweepProblem> chosen;
  for (const std::size_t index : which) {
    chosen.push_back(problems[index]);
  }
  const auto requests = HONE_TRY(requestsFor(chosen, options_.flags, folder));
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  auto compiled = HONE_TRY(compile_(requests));
  std::vector<Item> items;
  for (std::size_t i = 0; i < which.size(); ++i) {
    items.push_back({which[i], &problems[which[i]], requests[i].source, std::move(compiled[i])});
  }
  return items;
}

Sweeper::Entry Sweeper::entryOf(const Item& item, std::size_t choice,
                                const engine::Inputs& inputs) {
  Entry entry;
  entry.choice = &item.compiled.choices[choice];
  const iree::SplitCompiled& compiled = item.compiled.compiled[choice];
  entry.run.call = {compiled.module, compiled.function, inputs.arguments};
  store::Trial& trial = entry.run.trial;
  trial.key = keyOf(*item.problem, *entry.choice);
  trial.problem = nameOf(item.problem->problem);
  trial.config = configOf(*entry.choice);
  // The module was compiled for all its choices: each has an even share of what it took.
  const auto share = static_cast<std::int64_t>(item.compiled.choices.size());
  trial.compileWallNs = compiled.report.ending.wallNs / share;
  trial.compileCpuNs = compiled.report.ending.cpuNs / share;
  return entry;
}

Result<double> Sweeper::screenAll(const Item& item, std::vector<Entry>& entries) {
  std::optional<double> bestNs;
  Outskirts outskirts;
  for (const std::size_t i : lookOrder(item.compiled.choices)) {
    Entry& entry = entries[i];
    if (outskirts.beyond(*entry.choice)) {
      entry.skipped = true;
      continue;
    }
    HONE_CHECK(trials_.screen(entry.run, item.compiled.compiled[i].report,
                              entry.isMandatory() ? std::nullopt : bestNs));
    outskirts.note(*entry.choice, entry.run.trial.outcome == model::Outcome::tooSlow);
    if (entry.run.runs()) {
      bestNs = std::min(bestNs.value_or(*entry.run.screenNs()), *entry.run.screenNs());
    }
  }
  return bestNs.value_or(0);
}

Result<void> Sweeper::measure(std::vector<Entry>& entries, double bestNs) {
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
  engine::Rounds rounds(sampler_.rankBy(), store_, model::Stage::race);
  rounds.restore(trials_.recorded());
  engine::PrecisionPolicy policy(participants.size(), raceOptions(bestNs, options_.seed));
  HONE_CHECK(engine::runRounds(rounds, participants, policy));
  auto times = policy.take();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i]->timesNs = std::move(times[i]);
    if (measured[i]->timesNs.empty()) {
      measured[i]->run.trial.outcome = model::Outcome::runFailed;
      measured[i]->run.trial.message = "failed while it was measured";
    }
  }
  return {};
}

Result<void> Sweeper::verifyViable(std::vector<Entry>& entries, engine::Verifier& verifier) {
  std::vector<Entry*> order;
  for (Entry& entry : entries) {
    if (!entry.skipped && entry.run.runs()) {
      order.push_back(&entry);
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    return stats::median(a->timesNs) < stats::median(b->timesNs);
  });
  double bestNs = 0;  // of those that are right
  for (Entry* entry : order) {
    const double timeNs = stats::median(entry->timesNs);
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

Result<std::vector<Sweeper::Entry>> Sweeper::tryAll(const Item& item) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  const engine::Program program = engine::programOf(item.problem->problem, item.source, kFunction);
  const engine::Inputs inputs =
      HONE_TRY(engine::makeInputs(program, {}, options_.seed, scratch.path()));
  engine::Verifier verifier(runner_, program, inputs, scratch.path());
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < item.compiled.choices.size(); ++i) {
    entries.push_back(entryOf(item, i, inputs));
  }
  const double bestNs = HONE_TRY(screenAll(item, entries));
  HONE_CHECK(measure(entries, bestNs));
  HONE_CHECK(verifyViable(entries, verifier));
  referenceCpuNs_ += verifier.referenceCpuNs();
  return entries;
}

Result<void> Sweeper::measureItem(const Item& item, ShapeRecord& record) {
  record.shape.reduction = item.compiled.reduction.value_or(
      neverSplit(reductionOf(item.problem->problem).value_or(model::Reduction{})));
  if (item.compiled.choices.empty()) {
    record.failures.push_back(fmt::format("{}: does not compile: {}", record.shape.arguments,
                                          item.compiled.report.message));
    return {};
  }
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  record.compiled = static_cast<std::int64_t>(item.compiled.choices.size());
  for (const Entry& entry : HONE_TRY(tryAll(item))) {
    const bool eliminated = entry.run.trial.outcome == model::Outcome::tooSlow;
    if (entry.timesNs.empty() && (entry.skipped || eliminated)) {
      continue;  // not measured: no time, and not a failure
    }
    if (entry.timesNs.empty()) {
      record.failures.push_back(fmt::format("{} of {}: {}: {}", entry.choice->name(),
                                            record.shape.arguments, nameOf(entry.run.trial.outcome),
                                            entry.run.trial.message));
      continue;
    }
    const Timing timing = timingOf(entry.timesNs);
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
  return {};
}

Result<std::vector<iree::CompileRequest>> requestsFor(std::span<const SweepProblem> problems,
                                                      const std::vector<std::string>& flags,
                                                      const std::filesystem::path& folder) {
  std::vector<iree::CompileRequest> requests;
  for (const SweepProblem& problem : problems) {
    const std::string text = iree::mlirOf(problem.problem, kFunction);
    iree::CompileRequest request;
    request.source = folder / fmt::format("{}.mlir", hashOf(text).substr(0, 16));
    request.sourceHash = hashOf(text);
    request.flags = flags;
    request.function = kFunction;
    HONE_CHECK(writeFile(request.source, text));
    requests.push_back(std::move(request));
  }
  return requests;
}

Result<std::vector<ShapeRecord>> Sweeper::sweep(std::span<const SweepProblem> problems) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  const engine::BudgetClock clock(options_.budget);
  std::vector<ShapeRecord> records(problems.size());
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    records[i].race = raceOf(problems[i]);
    if (const auto found = earlier_.find(records[i].race); found != earlier_.end()) {
      records[i] = found->second;
    } else {
      left.push_back(i);
    }
    records[i].shape.arguments = problems[i].arguments;
  }
  progress_.stage("sweep", {.total = static_cast<std::int64_t>(left.size()),
                            .atMost = clock.leftUntil(options_.budgetShare)});
  std::int64_t trials = 0;
  double best = 1;
  for (std::size_t at = 0; at < left.size(); at += kChunk) {
    const auto which = std::span(left).subspan(at, std::min(kChunk, left.size() - at));
    std::vector<Item> items;
    if (!clock.spent(options_.budgetShare)) {
      items = HONE_TRY(compileItems(problems, which, scratch.path()));
    }
    for (std::size_t i = 0; i < which.size(); ++i) {
      ShapeRecord& record = records[which[i]];
      if (items.empty() || clock.spent(options_.budgetShare) ||
          (options_.budget.trials && trials >= *options_.budget.trials)) {
        record.failures.push_back(fmt::format("{}: beyond the budget", record.shape.arguments));
        continue;
      }
      HONE_CHECK(measureItem(items[i], record));
      trials += record.compiled;
      if (const double gain = bestGain(record.shape); gain > best) {
        best = gain;
        progress_.best(fmt::format("{:.2f}x", best));
      }
      progress_.step(record.shape.arguments);
    }
  }
  progress_.finish();
  return records;
}

}  // namespace hone::split
