#include "app/profile/profile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "app/common/cluster_options.h"
#include "app/common/open_executor.h"
#include "app/common/operation_options.h"
#include "app/common/seed_option.h"
#include "app/common/toolchain.h"
#include "app/profile/generate.h"
#include "app/profile/generated_folder.h"
#include "app/profile/profile_output.h"
#include "app/profile/program_profile.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "engine/executor/run_units.h"
#include "engine/executor/unit_result.h"
#include "profile/profile_unit.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using model::ProfiledProgram;

struct ProfileCommandOptions {
  OperationOptions operations;
  GenerateOptions generate;
  profile::DispatchFilter filter;  ///< parsed --dispatches
  std::string providers = "iree";
  profile::ProfileOptions profile;
  ProfileOutput output;
  CallOptions program;
  ToolchainOptions toolchain;
  ClusterOptions cluster;
};

Result<void> setProviders(const std::string& text, profile::ProfileOptions& options) {
  options.iree = options.library = false;
  for (const std::string& name : splitAt(text, ',')) {
    if (trim(name) == "iree") {
      options.iree = true;
    } else if (trim(name) == "onednn") {
      options.library = true;
    } else {
      return userError("--providers: expected iree or onednn, got '{}'", name);
    }
  }
  return {};
}

/// Generates the dispatches that the options select.
Result<std::vector<profile::Generated>> chooseOperations(const ProfileCommandOptions& options,
                                                         Toolchain& toolchain, Progress& progress) {
  std::vector<std::string> warnings;
  const auto operations =
      HONE_TRY(operationsFrom(options.operations, toolchain.compiler, toolchain.target, warnings));
  for (const std::string& warning : warnings) {
    progress.say(fmt::format("skipped: {}", warning));
  }
  if (operations.empty()) {
    return std::vector<profile::Generated>{};
  }
  return generateAll(toolchain, operations, options.generate, [](const auto&) {});
}

std::string runKey(const std::vector<profile::Generated>& operations, const Toolchain& toolchain,
                   const ProfileCommandOptions& options, const std::string& executor) {
  Hasher hasher;
  hasher.field("profile").field(toolchain.compiler.revision()).field(toolchain.device->name);
  for (const profile::Generated& one : operations) {
    hasher.field(profile::generateSource(one, one.configs)).field(one.target);
  }
  hasher.field(options.generate.dispatch.dispatches).field(options.providers);
  hasher.field(fmt::format("{} {} {} {} {}", options.profile.verify, options.profile.measure,
                           options.profile.fewestRounds, options.profile.mostRounds,
                           options.profile.seed));
  if (executor != "local") {
    hasher.field(executor);
  }
  return hasher.hex();
}

/// Formats the fastest row; "" if nothing was measured.
std::string formatFastest(const std::vector<model::ProfileRow>& rows) {
  const auto fastest = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.gflops() < b.gflops();
  });
  return fastest == rows.end() || !fastest->measured()
             ? ""
             : fmt::format("{:.1f} GFLOPs", fastest->gflops());
}

/// Returns the row of an operation that failed.
model::ProfileRow failedRow(const profile::Generated& operation, const std::string& why) {
  model::ProfileRow row;
  row.opKind = operation.operation.kind();
  row.operation = operation.operation.name();
  row.dispatch = row.operation;
  row.provider = model::kIreeProvider;
  row.target = operation.target;
  row.verification = "FAILED";
  row.message = why;
  return row;
}

/// Collects rows as operations finish and prints them in the order of the operations.
class RowCollector {
 public:
  RowCollector(const Context& context, const ProfileOutput& output, std::size_t operations)
      : context_(context), output_(output), rows_(operations) {}

  void add(std::size_t operation, profile::ProfiledRows profiled) {
    rows_[operation] = std::move(profiled.rows);
    for (model::MeasuredRoofline& one : profiled.rooflines) {
      rooflines_[one.type] = std::move(one);  // all measuring nodes are identical
    }
    for (; printed_ < rows_.size() && rows_[printed_]; ++printed_) {
      for (model::ProfileRow& row : *rows_[printed_]) {
        output_.printRow(context_, row);
        all_.push_back(std::move(row));
      }
    }
  }
  [[nodiscard]] const std::vector<model::ProfileRow>& rows() const { return all_; }
  [[nodiscard]] std::vector<model::MeasuredRoofline> rooflines() const {
    const auto values = std::views::values(rooflines_);
    return {values.begin(), values.end()};
  }

 private:
  const Context& context_;
  const ProfileOutput& output_;
  std::vector<std::optional<std::vector<model::ProfileRow>>> rows_;
  std::size_t printed_ = 0;
  std::vector<model::ProfileRow> all_;
  std::map<std::string, model::MeasuredRoofline> rooflines_;
};

Result<void> profileAll(const engine::UnitRun& run, const profile::ProfileTools& tools,
                        const std::vector<profile::Generated>& operations,
                        const ProfileCommandOptions& options, RowCollector& collector) {
  run.progress.stage("profile", static_cast<std::int64_t>(operations.size()));
  engine::UnitBatch batch;
  batch.count = operations.size();
  batch.make = [&](std::size_t i) -> Result<std::unique_ptr<engine::Unit>> {
    return std::make_unique<profile::ProfileUnit>(tools, operations[i], options.filter,
                                                  options.profile);
  };
  batch.label = [&](std::size_t i) { return operations[i].operation.name(); };
  batch.take = [&](std::size_t i, const engine::UnitResult& result) -> Result<void> {
    collector.add(i,
                  result.error
                      ? profile::ProfiledRows{{failedRow(operations[i], result.error->message)}, {}}
                      : HONE_TRY(profile::profiledRowsFrom(result.value)));
    run.progress.best(formatFastest(collector.rows()));
    return {};
  };
  HONE_CHECK(engine::runUnits(run, batch));
  run.progress.finish();
  return {};
}

/// Everything that a profile uses.
struct ProfileSession {
  const Context& context;
  const ProfileCommandOptions& options;
  Toolchain& toolchain;
  store::Store& store;
  Progress& progress;
};

Result<int> profileOperations(const ProfileSession& session,
                              const std::vector<profile::Generated>& operations,
                              const std::optional<ProfiledProgram>& program) {
  const auto& [context, options, toolchain, store, progress] = session;
  store::Run described = describeRun(context, toolchain, "profile");
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  described.key = runKey(operations, toolchain, options, cluster.executor);
  described.seed = options.profile.seed;
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  const auto executor =
      HONE_TRY(openExecutor(cluster, {{"engine", toolchainSetup(toolchain, options.toolchain)}},
                            {store, context.store, run, progress}));
  const iree::ModuleRunner runner = toolchain.runner();
  const profile::LibraryProvider library(HONE_TRY(ownProgram()), toolchain.runLimits);
  profile::Rooflines rooflines(HONE_TRY(cacheFolder()), library,
                               profile::countThreads(*toolchain.device), HONE_VERSION);
  const profile::ProfileTools tools{
      toolchain.compiler, toolchain.target.flags, runner, library, rooflines, progress};
  RowCollector collector(context, options.output, operations.size());
  HONE_CHECK(profileAll({*executor, store, run, progress}, tools, operations, options, collector));
  const model::ProfileResult result{
      .rows = collector.rows(),
      .rooflines = collector.rooflines(),
      .ownCpuNs = ownCpuNs() - executor->referenceCpuNs() + toolchain.compiler.forkServerCpuNs(),
      .program = program};
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, toJson(result)));
  const auto ended = executor->close();
  const int code = HONE_TRY(options.output.finish(context, run, collector.rows(), program));
  HONE_CHECK(ended);
  return code;
}

Result<int> profileCommand(const Context& context, ProfileCommandOptions options) {
  HONE_CHECK(setProviders(options.providers, options.profile));
  HONE_CHECK(options.output.check());
  // Before operations are generated: with an unusable store nothing is written.
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  options.filter = HONE_TRY(profile::DispatchFilter::from(options.generate.dispatch.dispatches));
  const bool given = options.operations.given();
  if (!options.operations.file.empty()) {
    HONE_TRY(readFile(options.operations.file));  // fail early if the file is missing
  }
  std::vector<profile::Generated> operations;
  if (!given) {
    operations = HONE_TRY(
        chooseGenerated(options.generate.dispatch.folder, options.filter, options.toolchain));
  }
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  options.toolchain = commandToolchain(options.toolchain, cluster);
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  if (!toolchain.device) {
    return userError("no {} device found; use hone compile to compile for it",
                     toolchain.target.name);
  }
  Progress progress(context.quiet || context.json);
  std::optional<ProfiledProgram> program;
  if (options.operations.isProgram()) {
    const engine::Program loaded = HONE_TRY(engine::loadProgram(
        toolchain.compiler,
        HONE_TRY(options.program.sourceFor(options.operations.file, toolchain.target.flags))));
    reportChosenSizes(loaded, progress);
    options.operations.file = loaded.source.string();  // lowered: its operations can be read
    if (cluster.usesCluster()) {
      progress.say("profiling only the operations: whole programs are not profiled on a cluster");
    } else {
      const ProgramProfile whole =
          HONE_TRY(profileProgram(toolchain, loaded, options.program, options.profile.seed));
      program = toResult(whole);
      if (!context.json) {
        fmt::print("{}\n", programTable(whole, report::outputWidth()));
      }
    }
  }
  if (given) {
    operations = HONE_TRY(chooseOperations(options, toolchain, progress));
  }
  if (operations.empty()) {
    return ProfileOutput::printNone(context, program);
  }
  return profileOperations({context, options, toolchain, store, progress}, operations, program);
}

}  // namespace

void addProfileCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<ProfileCommandOptions>();
  CLI::App* command =
      app.add_subcommand("profile", "Measure operations, or the dispatches of a program");
  options->operations.addTo(*command);
  options->generate.addTo(*command, context);
  command
      ->add_option("--providers", options->providers,
                   "Implementations to measure: iree, onednn or iree,onednn")
      ->capture_default_str();
  command
      ->add_option("--verification-enabled", options->profile.verify,
                   "Verify results against oneDNN")
      ->default_str("true");
  command->add_option("--profiling-enabled", options->profile.measure, "Measure run times")
      ->default_str("true");
  command
      ->add_option("--rounds", options->profile.fewestRounds,
                   "Minimum number of interleaved rounds; up to 4 times as many if times vary")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  addSeedOption(*command, options->profile.seed);
  options->program.addTo(*command, "Program: ");
  options->output.addTo(*command);
  options->toolchain.addTo(*command);
  options->cluster.addTo(*command);
  command->footer(
      "Examples:\n"
      "  hone profile model.mlir                           its dispatches\n"
      "  hone profile --problem-m 128 --problem-n 128:1280:128 -o data.csv\n"
      "  hone profile --kind attention --batch 4 --queries 256 --providers iree,onednn\n"
      "  hone profile --problem-m 512 --problem-n 512 --problem-k 512 --configs all\n"
      "  hone profile workload.txt --limit 8 --type f32\n"
      "  hone profile workload.txt --executor slurm --nodes 8 --partition batch\n"
      "  hone profile --dispatches='matmul_128x*'          written by `hone generate`\n"
      "Without an operation, a workload or a program, the folder `generated` is profiled.\n"
      "Exit code 1: a result is wrong, or a dispatch failed to compile or run.");
  command->callback([&context, options, command] {
    options->toolchain.targetGiven = command->count("--target") > 0;
    options->profile.mostRounds = 4 * options->profile.fewestRounds;
    context.action = [&context, options] { return profileCommand(context, *options); };
  });
}

}  // namespace hone::app
