#include "split/sweeper.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "iree/problem_mlir.h"
#include "split/problem_reduction.h"
#include "stats/summary.h"
#include "trial/lane.h"
#include "trial/program.h"
#include "trial/side_by_side.h"
#include "trial/verifier.h"

namespace hone::split {
namespace {

using iree::CompileReport;
using model::Outcome;

/// Compiled and measured in turns of so many problems: results come early, and little is redone
/// after a kill.
constexpr std::size_t kChunk = 16;
constexpr const char* kFunction = "main";

/// Limits lie far apart: what is half as fast again as the best is out after a few rounds.
trial::SideBySideOptions raceOptions(std::uint64_t seed) {
  trial::SideBySideOptions options;
  options.fewestRounds = 3;
  options.mostRounds = 7;
  options.precision = 0.03;
  options.tooSlow = 1.5;
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
                     choice.sizes.empty() ? "unsplit" : fmt::format("{}", choice.sizes));
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

}  // namespace

/// A problem on its way.
struct Sweeper::Item {
  std::size_t index = 0;
  const SweepProblem* problem = nullptr;
  std::filesystem::path source;
  std::string hash;
  iree::Splittable splittable;
  std::vector<Choice> choices;
  std::vector<iree::SplitCompiled> compiled;  ///< one a choice
};

/// A way to split it on its way.
struct Sweeper::Entry {
  const Choice* choice = nullptr;
  store::Trial trial;
  iree::Call call;
  std::vector<double> timesNs;
};

Result<void> Sweeper::restore(std::map<std::string, ShapeRecord> earlier) {
  earlier_ = std::move(earlier);
  for (store::Trial& trial : HONE_TRY(store_.trials(run_))) {
    trials_.emplace(trial.key, std::move(trial));
  }
  recorded_ = HONE_TRY(store_.samples(run_));
  return {};
}

std::string Sweeper::raceOf(const SweepProblem& problem) const {
  Hasher hasher;
  hasher.field("split race").field(compiler_.revision()).field(executor_.device().name);
  hasher.field(nameOf(problem.problem)).field(fmt::format("{}", options_.limits));
  for (const std::string& flag : options_.flags) {
    hasher.field(flag);
  }
  return hasher.hex();
}

Result<void> Sweeper::compileItems(std::vector<Item>& items) {
  const FileLock lane = HONE_TRY(trial::enterToCompile());
  std::vector<iree::CompileRequest> requests;
  for (const Item& item : items) {
    iree::CompileRequest request;
    request.source = item.source;
    request.sourceHash = item.hash;
    request.flags = options_.flags;
    request.function = kFunction;
    requests.push_back(std::move(request));
  }
  auto programs = HONE_TRY(iree::prepareSplits(compiler_, requests));
  std::vector<iree::SplitOrder> orders;
  std::vector<Item*> ordered;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    item.splittable = std::move(programs[i]);
    if (item.splittable.report.status != CompileReport::Status::ok) {
      continue;
    }
    const auto& operations = item.splittable.operations;
    const auto& own = item.splittable.compilersOwn;
    const bool one = operations.size() == 1;
    item.choices =
        choicesFor(one ? std::optional(operations.front()) : std::nullopt,
                   own.empty() ? std::vector<std::int64_t>{} : own.front(), options_.limits);
    iree::SplitOrder order{&item.splittable, {}};
    for (const Choice& choice : item.choices) {
      order.choices.push_back(choice.splitSizes());
    }
    orders.push_back(std::move(order));
    ordered.push_back(&item);
  }
  auto compiled = HONE_TRY(iree::compileSplits(compiler_, orders));
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    ordered[i]->compiled = std::move(compiled[i]);
  }
  return {};
}

Result<Sweeper::Entry> Sweeper::tryChoice(const Item& item, std::size_t choice,
                                          trial::Verifier& verifier, const trial::Inputs& inputs) {
  Entry entry;
  entry.choice = &item.choices[choice];
  const iree::SplitCompiled& compiled = item.compiled[choice];
  entry.call = {compiled.module, compiled.function, inputs.arguments};
  const std::string key = keyOf(*item.problem, *entry.choice);
  if (const auto before = trials_.find(key); before != trials_.end()) {
    entry.trial = before->second;
    return entry;
  }
  store::Trial& trial = entry.trial;
  trial.key = key;
  trial.problem = nameOf(item.problem->problem);
  trial.config = configOf(*entry.choice);
  trial.outcome = iree::outcomeOf(compiled.report.status);
  trial.message = compiled.report.message;
  trial.diagnostics = compiled.report.diagnostics;
  // The module was compiled for all its choices: each has an even share of what it took.
  const auto share = static_cast<std::int64_t>(item.choices.size());
  trial.compileWallNs = compiled.report.ending.wallNs / share;
  trial.compileCpuNs = compiled.report.ending.cpuNs / share;
  if (trial.outcome == Outcome::ok) {
    const trial::Verification verification = HONE_TRY(verifier.check(entry.call));
    trial.outcome = verification.outcome;
    trial.message = verification.message;
    trial.diagnostics += verification.diagnostics;
    trial.details["verified"] = nameOf(verification.against);
  }
  trial.id = HONE_TRY(store_.addTrial(run_, trial, {}));
  return entry;
}

Result<void> Sweeper::measure(std::vector<Entry>& entries) {
  std::vector<trial::Participant> participants;
  std::vector<Entry*> measured;
  for (Entry& entry : entries) {
    if (entry.trial.outcome != Outcome::ok) {
      continue;
    }
    auto pace = sampler_.paceFor(entry.call);
    if (!pace && pace.error().fault != Fault::user) {
      return std::unexpected(pace.error());
    }
    if (!pace) {
      entry.trial.outcome = Outcome::runFailed;
      entry.trial.message = pace.error().message;
      HONE_CHECK(store_.setOutcome(entry.trial.id, entry.trial.outcome, entry.trial.message));
      continue;
    }
    participants.push_back(callParticipant(entry.trial.id, sampler_, entry.call, *pace));
    measured.push_back(&entry);
  }
  auto times = HONE_TRY(trial::sideBySide(sampler_, store_, model::Stage::race, participants,
                                          recorded_, raceOptions(options_.seed)));
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i]->timesNs = std::move(times[i]);
    if (measured[i]->timesNs.empty()) {
      measured[i]->trial.outcome = Outcome::runFailed;
      measured[i]->trial.message = "failed while it was measured";
    }
  }
  return {};
}

Result<std::vector<Sweeper::Entry>> Sweeper::tryAll(const Item& item) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  const trial::Program program = trial::programOf(item.problem->problem, item.source, kFunction);
  const trial::Inputs inputs =
      HONE_TRY(trial::makeInputs(program, {}, options_.seed, scratch.path()));
  trial::Verifier verifier(executor_, program, inputs, scratch.path());
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < item.choices.size(); ++i) {
    entries.push_back(HONE_TRY(tryChoice(item, i, verifier, inputs)));
  }
  referenceCpuNs_ += verifier.referenceCpuNs();
  HONE_CHECK(measure(entries));
  return entries;
}

Result<void> Sweeper::measureItem(const Item& item, ShapeRecord& record) {
  const auto& operations = item.splittable.operations;
  record.shape.reduction = operations.size() == 1
                               ? operations.front()
                               : reductionOf(item.problem->problem).value_or(model::Reduction{});
  if (item.choices.empty()) {
    record.failures.push_back(fmt::format("{}: does not compile: {}", record.shape.arguments,
                                          item.splittable.report.message));
    return {};
  }
  const FileLock lane = HONE_TRY(trial::enterToMeasure());
  record.compiled = static_cast<std::int64_t>(item.choices.size());
  for (const Entry& entry : HONE_TRY(tryAll(item))) {
    if (entry.timesNs.empty()) {
      record.failures.push_back(fmt::format("{} of {}: {}: {}", entry.choice->name(),
                                            record.shape.arguments, nameOf(entry.trial.outcome),
                                            entry.trial.message));
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

Result<std::vector<Sweeper::Item>> Sweeper::itemsFor(std::span<const SweepProblem> problems,
                                                     std::span<const std::size_t> which,
                                                     const std::filesystem::path& folder) const {
  std::vector<Item> items;
  for (const std::size_t index : which) {
    Item item;
    item.index = index;
    item.problem = &problems[index];
    const std::string text = iree::mlirOf(item.problem->problem, kFunction);
    item.source = folder / fmt::format("{}.mlir", index);
    item.hash = hashOf(text);
    HONE_CHECK(writeFile(item.source, text));
    items.push_back(std::move(item));
  }
  return items;
}

Result<std::vector<ShapeRecord>> Sweeper::sweep(std::span<const SweepProblem> problems) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  const trial::BudgetClock clock(options_.budget);
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
  progress_.stage("sweep", static_cast<std::int64_t>(left.size()));
  std::int64_t trials = 0;
  for (std::size_t at = 0; at < left.size(); at += kChunk) {
    const auto which = std::span(left).subspan(at, std::min(kChunk, left.size() - at));
    auto items = HONE_TRY(itemsFor(problems, which, scratch.path()));
    if (!clock.spent(1.0)) {
      HONE_CHECK(compileItems(items));
    }
    for (Item& item : items) {
      ShapeRecord& record = records[item.index];
      if (clock.spent(1.0) || (options_.budget.trials && trials >= *options_.budget.trials)) {
        record.failures.push_back(fmt::format("{}: beyond the budget", record.shape.arguments));
        continue;
      }
      HONE_CHECK(measureItem(item, record));
      trials += record.compiled;
      progress_.step(record.shape.arguments);
    }
  }
  progress_.finish();
  return records;
}

}  // namespace hone::split
