#include "app/split/split_sweep.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/open_executor.h"
#include "app/split/split_report.h"
#include "app/split/split_result.h"
#include "app/split/split_source.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "cluster/device_executor.h"
#include "model/workload/sweep.h"
#include "split/fit/analysis.h"
#include "split/fit/rule.h"
#include "split/sweep/rebuild_choices.h"
#include "split/sweep/result_files.h"
#include "split/sweep/result_reader.h"
#include "split/sweep/sweeper.h"
#include "split/sweep/validation/validator.h"

namespace hone::app {
namespace {

using split::Recommendation;
using split::ShapeRecord;
using split::SweepProblem;

/// Maximum number of earlier runs searched for reusable shapes.
constexpr std::int64_t kMaxEarlierRuns = 200;
/// Share of the budget for the sweep; the rest is for validation.
constexpr double kSweepShare = 0.6;

/// Prints an outcome and returns the exit code.
using Reporter = std::function<int(const SplitOutcome&)>;

/// Toolchain, store and run of a subcommand.
struct SplitCommand {
  Toolchain toolchain;
  iree::ModuleRunner runner;
  std::vector<iree::ModuleRunner> others = {};  ///< of further devices that share the shapes
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

/// Returns the devices of the run, as stored with it.
std::string deviceNames(const Toolchain& toolchain, const SplitOptions& options) {
  return options.devices.size() > 1 ? join(options.devices, ",") : toolchain.device->name;
}

std::string runKey(const Toolchain& toolchain, const SplitOptions& options, std::string_view mode,
                   const std::vector<SweepProblem>& problems, const std::string& executor) {
  Hasher hasher;
  hasher.field("split")
      .field(mode)
      .field(toolchain.compiler.revision())
      .field(deviceNames(toolchain, options));
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

/// Returns runners for the devices after the first.
Result<std::vector<iree::ModuleRunner>> otherRunners(const Toolchain& toolchain,
                                                     const SplitOptions& options) {
  std::vector<iree::ModuleRunner> others;
  for (std::size_t i = 1; i < options.devices.size(); ++i) {
    const auto device =
        HONE_TRY(iree::chooseDevice(toolchain.installation, toolchain.target, options.devices[i]));
    others.emplace_back(toolchain.installation, device.value_or(*toolchain.device),
                        toolchain.runLimits);
  }
  return others;
}

Result<std::unique_ptr<SplitCommand>> startCommand(const Context& context,
                                                   const SplitOptions& options,
                                                   std::string_view mode,
                                                   const std::vector<SweepProblem>& problems,
                                                   Progress& progress) {
  const cluster::Options clusterOptions = HONE_TRY(options.cluster.resolve());
  if (clusterOptions.usesCluster() && options.devices.size() > 1) {
    return userError("--device: the nodes of a cluster share the shapes; give one {} device",
                     iree::deviceNamed(options.devices.front()).driver());
  }
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
  described.device = deviceNames(toolchain, options);
  described.key = runKey(toolchain, options, mode, problems, clusterOptions.executor);
  described.seed = options.seed;
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  auto command = std::make_unique<SplitCommand>(std::move(toolchain), std::move(store), run,
                                                std::move(scratch), progress);
  command->others = HONE_TRY(otherRunners(command->toolchain, options));
  if (!command->others.empty()) {
    command->executor =
        std::make_unique<cluster::DeviceExecutor>(command->store, run, options.devices.size());
    return command;
  }
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
    order.sweptBaselineUs = shape.baseline->timeUs();
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

/// Builds compilers from the user's checkout: one per limit of `rebuild`, and one with its
/// recommended code.
Result<split::ChoiceCompiler> rebuiltChoices(const SplitOptions& options, SplitCommand& command,
                                             const std::vector<SweepProblem>& problems,
                                             split::RebuildOptions rebuild) {
  rebuild.source = split::sourceIn(options.ireeSource);
  rebuild.build.folder = options.ireeBuild;
  rebuild.build.log = std::filesystem::absolute(options.folder()) / "build.log";
  if (!options.buildCommand.empty()) {
    rebuild.build.command = options.buildCommand;
  }
  rebuild.workers = cpuCount();
  rebuild.compileLimits = {
      std::chrono::milliseconds(static_cast<std::int64_t>(options.toolchain.compileSeconds * 1000)),
      memoryBytes() / 2 / rebuild.workers};
  return split::rebuildChoices(
      command.toolchain.compiler, rebuild,
      HONE_TRY(split::requestsFor(problems, command.toolchain.target.flags, command.folder.path())),
      command.progress);
}

/// Validates the recommendations, writes the files and prints the report. Returns the exit code.
Result<int> conclude(const Reporter& report, const SplitOptions& options, SplitCommand& command,
                     const std::vector<SweepProblem>& problems, SplitOutcome outcome,
                     const engine::BudgetClock& clock) {
  outcome.run = command.run;
  outcome.folder = options.folder();
  outcome.stem = options.stem();
  auto& recommendations = outcome.analysis.recommendations;
  if (!recommendations.empty()) {
    const std::int64_t startNs = nowNs();
    split::ValidationTools tools{
        command.toolchain.compiler,     command.runner, command.folder.path(),
        command.toolchain.target.flags, options.seed,   command.others};
    auto orders = makeValidationOrders(problems, outcome.records, recommendations);
    if (!outcome.built.empty()) {
      split::RebuildOptions rebuild;
      rebuild.recommended = outcome.built;
      tools.built = HONE_TRY(rebuiltChoices(options, command, problems, rebuild));
      for (split::ValidationOrder& order : orders) {
        order.sizes = {{kBuilt, {}}};
      }
    }
    outcome.validation = HONE_TRY(split::validate(command.unitRun(), tools, orders, clock));
    if (outcome.built.empty()) {
      addDefaultOracles(orders, outcome.validation);
      preferFewerRegressions(outcome);
    }
    outcome.validateSeconds = static_cast<double>(nowNs() - startNs) / 1e9;
  }
  addVerdicts(outcome);
  HONE_CHECK(writeReports(outcome));
  HONE_CHECK(
      command.store.finishRun(command.run, store::RunStatus::finished, toJson(toResult(outcome))));
  const auto ended = command.executor->close();
  const int code = report(outcome);
  HONE_CHECK(ended);
  return code;
}

/// Sweeps the problems on the devices of one group.
Result<int> sweepGroup(const Context& context, const SplitOptions& options,
                       const std::vector<SweepProblem>& problems, const Reporter& report) {
  Progress progress(context.quiet || context.json);
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
  sweepOptions.device = deviceNames(command->toolchain, options);
  settings.flags = command->toolchain.target.flags;
  settings.compiler = fmt::format("{} {} {}", command->toolchain.compiler.revision(),
                                  options.method, options.ireeSource);
  if (cluster.usesCluster()) {
    // Times of cluster nodes and of this machine must not be mixed.
    settings.compiler +=
        fmt::format(" on {} {} {}", cluster.executor, cluster.partition, cluster.gres);
  }
  split::RebuildOptions rebuild;
  rebuild.limits = settings.limits;
  const split::SweepTools tools{
      options.method == "attribute"
          ? split::attributeChoices(command->toolchain.compiler, settings.limits)
          : HONE_TRY(rebuiltChoices(options, *command, problems, rebuild)),
      command->runner, command->folder.path(), command->others};
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
  return conclude(report, options, *command, problems, std::move(outcome), sweepOptions.clock);
}

/// Validates the recommendation on the devices of one group.
Result<int> testGroup(const Context& context, const SplitOptions& options,
                      const std::vector<SweepProblem>& problems, const Reporter& report) {
  Progress progress(context.quiet || context.json);
  if (options.ireeSource.empty() != options.ireeBuild.empty()) {
    return userError("--iree-source requires --iree-build, and vice versa");
  }
  if (!options.ireeSource.empty() && HONE_TRY(options.cluster.resolve()).usesCluster()) {
    return userError("--iree-source builds a compiler on this machine; omit --executor");
  }
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
  SplitOutcome outcome;
  std::string mode = "test-optimized";
  if (!options.ireeSource.empty()) {
    const std::filesystem::path source = split::sourceIn(options.ireeSource);
    outcome.built = HONE_TRY(heuristicsFor(source, recommendations));
    mode += HONE_TRY(hashFile(source));
  }
  const auto command = HONE_TRY(startCommand(context, options, mode, known, progress));
  outcome.records = std::move(records);
  outcome.analysis = split::analyze(std::move(sweep));
  outcome.analysis.recommendations = std::move(recommendations);
  return conclude(report, options, *command, known, std::move(outcome),
                  engine::BudgetClock(HONE_TRY(options.parsedBudget())));
}

/// Fails with a user error unless all devices are present.
Result<void> checkDevices(const Context& context, const std::vector<DeviceGroup>& groups) {
  const iree::Installation installation = HONE_TRY(iree::findInstallation(context.ireeFolder));
  for (const DeviceGroup& group : groups) {
    const iree::Target target = HONE_TRY(iree::targetFrom(group.target));
    for (const std::string& name : group.devices) {
      if (!HONE_TRY(iree::chooseDevice(installation, target, name))) {
        return userError("no {} device found; available: {}", name,
                         join(HONE_TRY(iree::listDevices(installation)), ", "));
      }
    }
  }
  return {};
}

/// Returns the index of the group to start with: that of the run to resume. Its predecessors are
/// finished.
Result<std::size_t> firstGroup(const Context& context, const std::vector<DeviceGroup>& groups) {
  if (!context.resumed) {
    return std::size_t{0};
  }
  const auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::read));
  const auto run = HONE_TRY(store.run(*context.resumed));
  const auto found = std::ranges::find_if(
      groups, [&](const DeviceGroup& group) { return run && group.name() == run->device; });
  return found == groups.end() ? 0 : static_cast<std::size_t>(found - groups.begin());
}

using GroupAction = Result<int>(const Context& context, const SplitOptions& options,
                                const std::vector<SweepProblem>& problems, const Reporter& report);

/// Runs the action for each group of devices. Returns the highest exit code.
Result<int> forEachGroup(const Context& context, const SplitOptions& options, GroupAction* run) {
  const auto groups = HONE_TRY(groupDevices(options.toolchain.device, options.toolchain.target));
  std::vector<SweepProblem> problems;
  {
    Progress progress(context.quiet || context.json);
    problems = HONE_TRY(options.workload.problems(progress));
  }
  if (groups.size() == 1) {
    return run(context, options.forGroup(groups.front(), 1), problems,
               [&](const SplitOutcome& outcome) { return report(context, outcome); });
  }
  if (!HONE_TRY(options.cluster.resolve()).usesCluster()) {
    HONE_CHECK(checkDevices(context, groups));
  }
  GroupReports reports(context);
  Context current = context;
  int code = 0;
  for (std::size_t i = HONE_TRY(firstGroup(context, groups)); i < groups.size(); ++i) {
    code = std::max(code, HONE_TRY(run(current, options.forGroup(groups[i], groups.size()),
                                       problems, [&](const SplitOutcome& outcome) {
                                         return reports.add(groups[i].name(), outcome);
                                       })));
    current.resumed.reset();
  }
  reports.finish();
  return code;
}

}  // namespace

std::string SplitOptions::stem() const {
  return std::filesystem::path(workload.file).stem().string();
}

Result<engine::Budget> SplitOptions::parsedBudget() const {
  return engine::divideBudget(
      budget.empty() ? engine::Budget{} : HONE_TRY(engine::budgetFrom(budget)), groups);
}

std::filesystem::path SplitOptions::folder() const {
  return results.empty() ? split::findResultsFolder(stem()) : std::filesystem::path(results);
}

SplitOptions SplitOptions::forGroup(const DeviceGroup& group, std::size_t groupCount) const {
  SplitOptions own = *this;
  own.toolchain.target = group.target;
  own.toolchain.device = group.devices.front();
  own.devices = group.devices;
  own.groups = groupCount;
  if (groupCount > 1) {
    own.results = results.empty() ? fmt::format("{}_{}_results", stem(), group.driver())
                                  : (std::filesystem::path(results) / group.driver()).string();
  }
  return own;
}

Result<int> splitSweep(const Context& context, const SplitOptions& options) {
  return forEachGroup(context, options, sweepGroup);
}

Result<int> splitTestOptimized(const Context& context, const SplitOptions& options) {
  return forEachGroup(context, options, testGroup);
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
