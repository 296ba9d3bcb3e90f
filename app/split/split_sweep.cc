#include "app/split/split_sweep.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/split/split_command.h"
#include "app/split/split_report.h"
#include "app/split/split_result.h"
#include "app/split/split_source.h"
#include "app/split/split_validation.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "model/workload/sweep.h"
#include "split/fit/analysis.h"
#include "split/sweep/rebuild_choices.h"
#include "split/sweep/result_files.h"
#include "split/sweep/result_reader.h"
#include "split/sweep/sweeper.h"
#include "split/sweep/validation/validator.h"

namespace hone::app {
namespace {

using split::ShapeRecord;
using split::SweepProblem;

/// Maximum number of earlier runs searched for reusable shapes.
constexpr std::int64_t kMaxEarlierRuns = 200;
/// Share of the budget for the sweep; the rest is for validation.
constexpr double kSweepShare = 0.6;

/// Prints an outcome and returns the exit code.
using Reporter = std::function<int(const SplitOutcome&)>;

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
