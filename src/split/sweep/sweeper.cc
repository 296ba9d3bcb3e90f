#include "split/sweep/sweeper.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "engine/lane.h"
#include "engine/program.h"
#include "engine/side_by_side.h"
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
engine::SideBySideOptions raceOptions(double bestNs, std::uint64_t seed) {
  constexpr double kLongNs = 0.05e9;
  const bool isLong = bestNs > kLongNs;
  engine::SideBySideOptions options;
  options.fewestRounds = isLong ? 1 : 3;
  options.mostRounds = isLong ? 3 : 5;
  options.precision = 0.03;
  options.tooSlow = isLong ? 1.15 : 1.5;
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
  Contender contender;
  std::vector<double> timesNs;
};

Result<void> Sweeper::restore(std::map<std::string, ShapeRecord> earlier) {
  earlier_ = std::move(earlier);
  return contenders_.restore();
}

std::string Sweeper::raceOf(const SweepProblem& problem) const {
  Hasher hasher;
  hasher.field("split race").field(options_.compiler).field(runner_.device().name);
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
  const FileLock lane = HONE_TRY(engine::enterToCompile());
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
  entry.contender.call = {compiled.module, compiled.function, inputs.arguments};
  store::Trial& trial = entry.contender.trial;
  trial.key = keyOf(*item.problem, *entry.choice);
  trial.problem = nameOf(item.problem->problem);
  trial.config = configOf(*entry.choice);
  // The module was compiled for all its choices: each has an even share of what it took.
  const auto share = static_cast<std::int64_t>(item.compiled.choices.size());
  trial.compileWallNs = compiled.report.ending.wallNs / share;
  trial.compileCpuNs = compiled.report.ending.cpuNs / share;
  return entry;
}

Result<double> Sweeper::lookAtAll(const Item& item, std::vector<Entry>& entries) {
  double bestNs = 0;
  Outskirts outskirts;
  for (const std::size_t i : lookOrder(item.compiled.choices)) {
    const Choice& choice = item.compiled.choices[i];
    Contender& contender = entries[i].contender;
    if (outskirts.beyond(choice)) {
      HONE_CHECK(contenders_.skip(contender, outskirts.atLeastNs(choice),
                                  "not tried: the limits before it are too slow by far"));
      continue;
    }
    HONE_CHECK(contenders_.look(contender, item.compiled.compiled[i].report, bestNs,
                                outskirts.atLeastNs(choice)));
    outskirts.note(choice, Contenders::isHopeless(contender, bestNs), contender.lookNs);
    if (contender.runs() && (bestNs == 0 || contender.lookNs < bestNs)) {
      bestNs = contender.lookNs;
    }
  }
  return bestNs;
}

Result<void> Sweeper::measure(std::vector<Entry>& entries, double bestNs) {
  std::vector<engine::Participant> participants;
  std::vector<Entry*> measured;
  for (Entry& entry : entries) {
    // The baseline is what all are compared with, however slow.
    HONE_CHECK(contenders_.leaveHopeless(entry.contender, entry.choice->isBaseline ? 0 : bestNs));
    if (entry.contender.runs()) {
      participants.push_back(contenders_.participant(entry.contender));
      measured.push_back(&entry);
    } else if (entry.contender.trial.outcome == model::Outcome::tooSlow) {
      entry.timesNs = {entry.contender.lookNs};
    }
  }
  auto times =
      HONE_TRY(engine::sideBySide(sampler_, store_, model::Stage::race, participants,
                                  contenders_.recorded(), raceOptions(bestNs, options_.seed)));
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i]->timesNs = std::move(times[i]);
    if (measured[i]->timesNs.empty()) {
      measured[i]->contender.trial.outcome = model::Outcome::runFailed;
      measured[i]->contender.trial.message = "failed while it was measured";
    }
  }
  return {};
}

Result<void> Sweeper::verifyViable(std::vector<Entry>& entries, engine::Verifier& verifier) {
  std::vector<Entry*> order;
  for (Entry& entry : entries) {
    if (entry.contender.runs()) {
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
    HONE_CHECK(contenders_.verify(entry->contender, verifier));
    if (!entry->contender.runs()) {
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
  const double bestNs = HONE_TRY(lookAtAll(item, entries));
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
  const FileLock lane = HONE_TRY(engine::enterToMeasure());
  record.compiled = static_cast<std::int64_t>(item.compiled.choices.size());
  for (const Entry& entry : HONE_TRY(tryAll(item))) {
    if (entry.timesNs.empty()) {
      record.failures.push_back(
          fmt::format("{} of {}: {}: {}", entry.choice->name(), record.shape.arguments,
                      nameOf(entry.contender.trial.outcome), entry.contender.trial.message));
      continue;
    }
    // A call that was not waited for has a mean only: a bound that it lies above.
    const Timing timing = entry.contender.stopped ? Timing{.meanUs = entry.timesNs.front() / 1000}
                                                  : timingOf(entry.timesNs);
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
  progress_.stage(
      "sweep", {.total = static_cast<std::int64_t>(left.size()), .atMost = clock.leftUntil(1.0)});
  std::int64_t trials = 0;
  double best = 1;
  for (std::size_t at = 0; at < left.size(); at += kChunk) {
    const auto which = std::span(left).subspan(at, std::min(kChunk, left.size() - at));
    std::vector<Item> items;
    if (!clock.spent(1.0)) {
      items = HONE_TRY(compileItems(problems, which, scratch.path()));
    }
    for (std::size_t i = 0; i < which.size(); ++i) {
      ShapeRecord& record = records[which[i]];
      if (items.empty() || clock.spent(1.0) ||
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
