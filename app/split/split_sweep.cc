#include "app/split/split_sweep.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/open_executor.h"
#include "app/split/split_report.h"
#include "app/split/split_result.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "model/workload/sweep.h"
#include "split/fit/analysis.h"
#include "split/fit/rule.h"
#include "split/sweep/rebuild_choices.h"
#include "split/sweep/result_files.h"
#include "split/sweep/result_reader.h"
#include "split/sweep/sweeper.h"
#include "split/sweep/validator.h"

namespace hone::app {
namespace {

using split::Recommendation;
using split::ShapeRecord;
using split::SweepProblem;

/// Maximum number of earlier runs searched for reusable shapes.
constexpr std::int64_t kMaxEarlierRuns = 200;
/// Share of the budget for the sweep; the rest is for validation.
constexpr double kSweepShare = 0.6;

/// Toolchain, store and run of a subcommand.
struct SplitCommand {
  Toolchain toolchain;
  iree::ModuleRunner runner;
  store::Store store;
  std::int64_t run = 0;
  ScratchFolder folder;  ///< for sources
  Progress& progress;
  std::unique_ptr<engine::Executor> executor = nullptr;

  SplitCommand(Toolchain started, store::Store opened, std::int64_t number, ScratchFolder scratch,
               Progress& shown)
      : toolchain(std::move(started)),
        runner(toolchain.runner()),
        store(std::move(opened)),
        run(number),
        folder(std::move(scratch)),
        progress(shown) {}
  [[nodiscard]] engine::UnitRun unitRun() { return {*executor, store, run, progress}; }
};

std::string runKey(const Toolchain& toolchain, const SplitOptions& options, std::string_view mode,
                   const std::vector<SweepProblem>& problems, const std::string& executor) {
  Hasher hasher;
  hasher.field("split")
      .field(mode)
      .field(toolchain.compiler.revision())
      .field(toolchain.device->name);
  hasher.field(options.limits).field(options.budget).field(std::to_string(options.seed));
  for (const std::string& flag : toolchain.target.flags) {
    hasher.field(flag);
  }
  for (const SweepProblem& problem : problems) {
    hasher.field(nameOf(problem.problem)).field(problem.arguments);
  }
  if (executor != "local") {
    hasher.field(executor);
  }
  return hasher.hex();
}

Result<std::unique_ptr<SplitCommand>> startCommand(const Context& context,
                                                   const SplitOptions& options,
                                                   std::string_view mode,
                                                   const std::vector<SweepProblem>& problems,
                                                   Progress& progress) {
  const cluster::Options clusterOptions = HONE_TRY(options.cluster.resolve());
  ToolchainOptions toolchainOptions = commandToolchain(options.toolchain, clusterOptions);
  if (toolchainOptions.device.empty() && toolchainOptions.target == "local") {
    toolchainOptions.device = "local-task";  // splits gain parallelism
  }
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, toolchainOptions));
  if (!toolchain.device) {
    return userError(
        "no {} device found; measure on a machine that has one, then run hone split analyze on the "
        "results",
        toolchain.target.name);
  }
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  store::Run described = describeRun(context, toolchain, "split");
  described.key = runKey(toolchain, options, mode, problems, clusterOptions.executor);
  described.seed = options.seed;
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  auto command = std::make_unique<SplitCommand>(std::move(toolchain), std::move(store), run,
                                                std::move(scratch), progress);
  command->executor = HONE_TRY(openExecutor(
      clusterOptions, {{"engine", toolchainSetup(command->toolchain, toolchainOptions)}},
      {command->store, context.store, run, progress}));
  return command;
}

/// Returns the newest shape of each race in finished sweeps.
Result<std::map<std::string, ShapeRecord>> earlierShapes(const store::Store& store) {
  std::map<std::string, ShapeRecord> earlier;
  for (const store::RunLine& line : HONE_TRY(store.listRuns(kMaxEarlierRuns))) {
    if (line.command != "split" || line.status != store::RunStatus::finished) {
      continue;
    }
    const auto run = HONE_TRY(store.run(line.id));
    auto result =
        run ? model::splitResultFrom(nlohmann::json::parse(run->summary)) : model::SplitResult();
    if (!result || !result->shapes) {  // written by another version
      continue;
    }
    for (ShapeRecord& record : *result->shapes) {
      if (!record.race.empty() && record.failures.empty()) {
        earlier.try_emplace(record.race, std::move(record));
      }
    }
  }
  return earlier;
}

split::SweepResult toResult(const std::vector<ShapeRecord>& records,
                            const std::vector<std::int64_t>& limits) {
  split::SweepResult result;
  result.limits = limits;
  std::sort(result.limits.begin(), result.limits.end());
  for (const ShapeRecord& record : records) {
    result.shapes.push_back(record.shape);
    result.failures.insert(result.failures.end(), record.failures.begin(), record.failures.end());
  }
  return result;
}

/// Returns the limits of the recommended code; for kinds without a recommendation, those of the
/// compiler.
split::LimitChooser makeChooser(const std::vector<Recommendation>& recommendations, bool twoD) {
  std::map<model::ReductionKind, split::Heuristic> heuristics;
  for (const Recommendation& one : recommendations) {
    const auto& heuristic = twoD ? one.twoD.heuristic : one.oneD.heuristic;
    if (heuristic.form == split::SourceForm::functions) {
      heuristics[heuristic.kind] = heuristic;
    }
  }
  return [heuristics = std::move(heuristics)](const model::Reduction& reduction) {
    const auto at = heuristics.find(reduction.kind);
    return at == heuristics.end() ? split::compilersLimit(reduction)
                                  : split::chooseLimit(at->second, reduction);
  };
}

std::vector<split::ValidationOrder> makeValidationOrders(
    const std::vector<SweepProblem>& problems, const std::vector<ShapeRecord>& records,
    const std::vector<Recommendation>& recommendations) {
  const auto oneD = makeChooser(recommendations, false);
  const auto twoD = makeChooser(recommendations, true);
  std::vector<split::ValidationOrder> orders;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const split::ShapeResult& shape = records[i].shape;
    if (!shape.baseline) {
      continue;
    }
    split::ValidationOrder order;
    order.problem = problems[i];
    order.sweptBaselineUs = shape.baseline->typicalUs();
    order.sizes[kOneD] = split::sizesUnder(shape.reduction, oneD);
    order.sizes[kTwoD] = split::sizesUnder(shape.reduction, twoD);
    if (auto sizes = split::oracleSizes(shape)) {
      order.sizes[kOracle] = std::move(*sizes);
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

/// Adds the oracle to the validated problems whose fastest measured split is the compiler's
/// default: it is the baseline and needs no measurement.
void addDefaultOracles(const std::vector<split::ValidationOrder>& orders,
                       std::vector<split::ValidationRecord>& records) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!orders[i].sizes.contains(kOracle) && records[i].baselineUs > 0) {
      records[i].choices[kOracle] = {records[i].baselineUs, std::nullopt};
    }
  }
}

/// Validates the recommendations, writes the files and prints the report. Returns the exit code.
Result<int> conclude(const Context& context, const SplitOptions& options, SplitCommand& command,
                     const std::vector<SweepProblem>& problems, SplitOutcome outcome,
                     const engine::BudgetClock& clock) {
  outcome.run = command.run;
  outcome.folder = options.folder();
  outcome.stem = options.stem();
  auto& recommendations = outcome.analysis.recommendations;
  if (!recommendations.empty()) {
    const std::int64_t startNs = nowNs();
    const split::ValidationTools tools{command.toolchain.compiler, command.runner,
                                       command.folder.path(), command.toolchain.target.flags,
                                       options.seed};
    const auto orders = makeValidationOrders(problems, outcome.records, recommendations);
    outcome.validation = HONE_TRY(split::validate(command.unitRun(), tools, orders, clock));
    addDefaultOracles(orders, outcome.validation);
    outcome.validateSeconds = static_cast<double>(nowNs() - startNs) / 1e9;
    preferFewerRegressions(outcome);
  }
  addVerdicts(outcome);
  HONE_CHECK(writeReports(outcome));
  HONE_CHECK(
      command.store.finishRun(command.run, store::RunStatus::finished, toJson(toResult(outcome))));
  const auto ended = command.executor->close();
  const int code = report(context, outcome);
  HONE_CHECK(ended);
  return code;
}

/// Returns the compiler that applies the limits, by attribute or by rebuilding.
Result<split::ChoiceCompiler> choiceCompiler(const SplitOptions& options, SplitCommand& command,
                                             const std::vector<std::int64_t>& limits,
                                             const std::vector<SweepProblem>& problems) {
  if (options.method == "attribute") {
    return split::attributeChoices(command.toolchain.compiler, limits);
  }
  split::RebuildOptions rebuild;
  rebuild.source = split::sourceIn(options.ireeSource);
  rebuild.build.folder = options.ireeBuild;
  rebuild.build.log = std::filesystem::absolute(options.folder()) / "build.log";
  if (!options.buildCommand.empty()) {
    rebuild.build.command = options.buildCommand;
  }
  rebuild.limits = limits;
  rebuild.workers = cpuCount();
  rebuild.compileLimits = {
      std::chrono::milliseconds(static_cast<std::int64_t>(options.toolchain.compileSeconds * 1000)),
      memoryBytes() / 2 / rebuild.workers};
  return split::rebuildChoices(
      command.toolchain.compiler, rebuild,
      HONE_TRY(split::requestsFor(problems, command.toolchain.target.flags, command.folder.path())),
      command.progress);
}

}  // namespace

std::string SplitOptions::stem() const {
  return std::filesystem::path(workload.file).stem().string();
}

Result<engine::Budget> SplitOptions::parsedBudget() const {
  return budget.empty() ? engine::Budget{} : engine::budgetFrom(budget);
}

std::filesystem::path SplitOptions::folder() const {
  return results.empty() ? split::findResultsFolder(stem()) : std::filesystem::path(results);
}

Result<int> splitSweep(const Context& context, const SplitOptions& options) {
  Progress progress(context.quiet || context.json);
  const auto problems = HONE_TRY(options.workload.problems(progress));
  split::SweepOptions sweepOptions;
  split::SweepSettings& settings = sweepOptions.settings;
  settings.limits = HONE_TRY(model::sizesFrom("--limits", options.limits));
  settings.seed = options.seed;
  const engine::Budget budget = HONE_TRY(options.parsedBudget());
  sweepOptions.trials = budget.trials;
  sweepOptions.clock = engine::BudgetClock(budget);
  sweepOptions.budgetShare = kSweepShare;
  if ((options.method == "rebuild") != !options.ireeSource.empty() ||
      options.ireeSource.empty() != options.ireeBuild.empty()) {
    return userError("--method rebuild requires --iree-source and --iree-build, and vice versa");
  }
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  if (cluster.usesCluster() && options.method == "rebuild") {
    return userError("--method rebuild builds compilers on this machine; omit --executor");
  }
  HONE_CHECK(makeFolder(options.folder()));
  sweepOptions.rerun = split::findDeleted(options.folder(), options.stem(), settings.limits);
  const auto command = HONE_TRY(startCommand(context, options, "sweep", problems, progress));
  if (budget.time) {
    const std::int64_t waitStartNs = nowNs();
    HONE_CHECK(command->executor->awaitReady());
    sweepOptions.clock.exclude(nowNs() - waitStartNs);
  }
  sweepOptions.device = command->toolchain.device->name;
  settings.flags = command->toolchain.target.flags;
  settings.compiler = fmt::format("{} {} {}", command->toolchain.compiler.revision(),
                                  options.method, options.ireeSource);
  if (cluster.usesCluster()) {
    // Times of cluster nodes and of this machine must not be mixed.
    settings.compiler +=
        fmt::format(" on {} {} {}", cluster.executor, cluster.partition, cluster.gres);
  }
  const split::SweepTools tools{
      HONE_TRY(choiceCompiler(options, *command, settings.limits, problems)), command->runner,
      command->folder.path()};
  split::Sweeper sweeper(command->unitRun(), tools, sweepOptions);
  if (!options.forceRerun && !sweepOptions.rerun.empty()) {
    progress.say(fmt::format("measuring again: {}; not found in {}", sweepOptions.rerun.names(),
                             options.folder().string()));
  }
  if (!options.forceRerun) {
    sweeper.reuse(HONE_TRY(earlierShapes(command->store)));
  }
  const std::int64_t startNs = nowNs();
  const auto records = HONE_TRY(sweeper.sweep(problems));
  auto sweep = toResult(records, settings.limits);
  HONE_CHECK(split::writeResults(options.folder(), options.stem(), sweep));
  SplitOutcome outcome;
  outcome.sweepSeconds = static_cast<double>(nowNs() - startNs) / 1e9;
  outcome.records = records;
  outcome.analysis = split::analyze(std::move(sweep));
  return conclude(context, options, *command, problems, std::move(outcome), sweepOptions.clock);
}

Result<int> splitTestOptimized(const Context& context, const SplitOptions& options) {
  Progress progress(context.quiet || context.json);
  const auto problems = HONE_TRY(options.workload.problems(progress));
  auto recommendations = HONE_TRY(split::readRecommendations(options.folder()));
  auto sweep = HONE_TRY(split::readResults(options.folder()));
  std::map<std::string, split::ShapeResult> swept;
  for (const split::ShapeResult& shape : sweep.shapes) {
    swept.emplace(shape.arguments, shape);
  }
  std::vector<SweepProblem> known;
  std::vector<ShapeRecord> records;
  for (const SweepProblem& problem : problems) {
    if (const auto at = swept.find(problem.arguments); at != swept.end()) {
      known.push_back(problem);
      records.push_back({{}, at->second, {}, 0});
    }
  }
  if (known.empty()) {
    return userError("{}: no results for the problems of {}", options.folder().string(),
                     options.workload.file);
  }
  const auto command = HONE_TRY(startCommand(context, options, "test-optimized", known, progress));
  SplitOutcome outcome;
  outcome.records = std::move(records);
  outcome.analysis = split::analyze(std::move(sweep));
  outcome.analysis.recommendations = std::move(recommendations);
  return conclude(context, options, *command, known, std::move(outcome),
                  engine::BudgetClock(HONE_TRY(options.parsedBudget())));
}

Result<int> splitAnalyze(const Context& context, const std::string& folder) {
  const std::filesystem::path path = HONE_TRY(resultsFolder(folder));
  SplitOutcome outcome;
  outcome.folder = path;
  outcome.analysis = split::analyze(HONE_TRY(split::readResults(path)));
  outcome.filed = HONE_TRY(split::readValidation(path, outcome.analysis.sweep));
  addVerdicts(outcome);
  HONE_CHECK(split::writeSummary(path, outcome.analysis.sweep));
  HONE_CHECK(writeReports(outcome));
  return report(context, outcome);
}

}  // namespace hone::app
