#include "app/profile/profile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/common/cluster_options.h"
#include "app/common/cluster_run.h"
#include "app/common/operation_options.h"
#include "app/common/toolchain.h"
#include "app/profile/generate.h"
#include "app/profile/generated_folder.h"
#include "app/profile/profile_cluster.h"
#include "app/profile/profile_output.h"
#include "app/profile/program_profile.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "profile/profiler.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using model::ProfiledProgram;

/// Compiled and measured in turns of so many operations: results come early, and little is redone
/// after a kill.
constexpr std::size_t kChunk = 16;

struct ProfileVerbOptions {
  OperationOptions operations;
  GenerateOptions generate;
  std::string dispatches;
  profile::DispatchFilter filter;  ///< what `dispatches` says
  std::string providers = "iree";
  profile::ProfileOptions profile;
  ProfileOutput output;
  ProgramOptions program;
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
      return userError("--providers: there is no '{}'; there are iree and onednn", name);
    }
  }
  return {};
}

/// The operations to profile: those asked for, generated now, or what lies generated.
Result<std::vector<profile::Generated>> chooseOperations(const ProfileVerbOptions& options,
                                                         Toolchain& toolchain, Progress& progress) {
  std::vector<std::string> warnings;
  const auto operations = HONE_TRY(
      operationsFrom(options.operations, toolchain.compiler, toolchain.target.flags, warnings));
  for (const std::string& warning : warnings) {
    progress.say(fmt::format("left out: {}", warning));
  }
  if (operations.empty()) {
    return std::vector<profile::Generated>{};
  }
  auto generated =
      HONE_TRY(generateAll(toolchain, operations, options.generate, [](const auto&) {}));
  return matching(std::move(generated), options.filter);
}

std::string runKey(const std::vector<profile::Generated>& operations, const Toolchain& toolchain,
                   const ProfileVerbOptions& options, const std::string& executor) {
  Hasher hasher;
  hasher.field("profile").field(toolchain.compiler.revision()).field(toolchain.device->name);
  for (const profile::Generated& one : operations) {
    hasher.field(profile::sourceOf(one, one.configs)).field(one.target);
  }
  hasher.field(options.dispatches).field(options.providers);
  hasher.field(fmt::format("{} {} {} {} {}", options.profile.verify, options.profile.measure,
                           options.profile.fewestRounds, options.profile.mostRounds,
                           options.profile.seed));
  if (executor != "local") {
    hasher.field(executor);
  }
  return hasher.hex();
}

/// The fastest row so far, for people; "" where nothing was measured.
std::string fastestOf(const std::vector<model::ProfileRow>& rows) {
  const auto fastest = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.gflops() < b.gflops();
  });
  return fastest == rows.end() || !fastest->measured()
             ? ""
             : fmt::format("{:.1f} GFLOPs", fastest->gflops());
}

Result<std::vector<model::ProfileRow>> profileAll(const std::vector<profile::Generated>& operations,
                                                  const ProfileVerbOptions& options,
                                                  Toolchain& toolchain,
                                                  profile::Rooflines& rooflines,
                                                  profile::Profiler& profiler,
                                                  const Context& context, Progress& progress) {
  std::vector<model::ProfileRow> rows;
  for (std::size_t at = 0; at < operations.size(); at += kChunk) {
    const std::size_t count = std::min(kChunk, operations.size() - at);
    std::vector<profile::Built> built;
    {
      const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
      built = HONE_TRY(profile::build(toolchain.compiler, std::span(operations).subspan(at, count),
                                      {toolchain.target.flags, false}, progress));
    }
    progress.stage("profile", {.total = static_cast<std::int64_t>(operations.size()),
                               .done = static_cast<std::int64_t>(at)});
    for (profile::Built& one : built) {
      auto some = HONE_TRY(
          profileOne(one, options.filter, toolchain, rooflines, profiler, options.profile.measure));
      for (model::ProfileRow& row : some) {
        options.output.printRow(context, row);
        rows.push_back(std::move(row));
      }
      progress.best(fastestOf(rows));
    }
  }
  progress.finish();
  return rows;
}

Result<int> finishRows(const Context& context, const ProfileVerbOptions& options,
                       store::Store& store, std::int64_t run, ProfiledRows profiled,
                       const std::optional<ProfiledProgram>& program, std::int64_t ownNs,
                       const std::unique_ptr<ClusterRun>& cluster = nullptr) {
  const model::ProfileResult result{.rows = profiled.rows,
                                    .rooflines = std::move(profiled.rooflines),
                                    .ownCpuNs = ownNs,
                                    .program = program};
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, toJson(result)));
  const auto ended = closed(cluster);
  const int code = HONE_TRY(options.output.finish(context, run, std::move(profiled.rows), program));
  HONE_CHECK(ended);
  return code;
}

Result<int> profileOperations(const Context& context, const ProfileVerbOptions& options,
                              Toolchain& toolchain,
                              const std::vector<profile::Generated>& operations, Progress& progress,
                              const std::optional<ProfiledProgram>& program) {
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  store::Run described = describeRun(context, toolchain, "profile");
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  described.key = runKey(operations, toolchain, options, cluster.executor);
  described.seed = options.profile.seed;
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  if (cluster.usesCluster()) {
    auto opened = HONE_TRY(ClusterRun::open(
        cluster, context, {{"engine", toolchainSetup(toolchain, options.toolchain)}}, store, run,
        progress));
    auto profiled = HONE_TRY(profileOnCluster(
        *opened, operations, options.dispatches, options.profile, progress,
        [&](const model::ProfileRow& row) { options.output.printRow(context, row); }));
    return finishRows(context, options, store, run, std::move(profiled), program, ownCpuNs(),
                      opened);
  }
  const iree::ModuleRunner runner = toolchain.runner();
  const profile::LibraryProvider library(HONE_TRY(ownProgram()), toolchain.runLimits);
  profile::Profiler profiler(runner, library, store, progress, run, options.profile);
  HONE_CHECK(profiler.restore());
  profile::Rooflines rooflines(cacheFolder(), library, profile::threadsOf(*toolchain.device),
                               HONE_VERSION);
  auto rows =
      HONE_TRY(profileAll(operations, options, toolchain, rooflines, profiler, context, progress));
  return finishRows(context, options, store, run, {std::move(rows), app::resultOf(rooflines)},
                    program,
                    ownCpuNs() - profiler.referenceCpuNs() + toolchain.compiler.forkServerCpuNs());
}

Result<int> profileVerb(const Context& context, ProfileVerbOptions options) {
  HONE_CHECK(setProviders(options.providers, options.profile));
  HONE_CHECK(options.output.check());
  options.filter = HONE_TRY(profile::DispatchFilter::from(options.dispatches));
  const bool given = options.operations.given();
  if (!options.operations.file.empty()) {
    HONE_TRY(readFile(options.operations.file));  // before the slower things
  }
  std::vector<profile::Generated> operations;
  if (!given) {
    operations =
        HONE_TRY(chooseGenerated(options.generate.folder, options.filter, options.toolchain));
  }
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  options.toolchain = headToolchain(options.toolchain, cluster);
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  if (!toolchain.device) {
    return userError("this machine has no device for {}: hone compile compiles for it",
                     toolchain.target.name);
  }
  Progress progress(context.quiet || context.json);
  std::optional<ProfiledProgram> program;
  if (options.operations.isProgram() && cluster.usesCluster()) {
    progress.say("the program as a whole is not profiled on a cluster, only its operations");
  } else if (options.operations.isProgram()) {
    const ProgramProfile whole = HONE_TRY(
        profileProgram(toolchain, options.operations.file, options.program, options.profile.seed));
    program = resultOf(whole);
    if (!context.json) {
      fmt::print("{}\n", programTable(whole, report::outputWidth()));
    }
  }
  if (given) {
    operations = HONE_TRY(chooseOperations(options, toolchain, progress));
  }
  if (operations.empty()) {
    return ProfileOutput::printNone(context, program);
  }
  return profileOperations(context, options, toolchain, operations, progress, program);
}

}  // namespace

void addProfileVerb(CLI::App& app, Context& context) {
  auto options = std::make_shared<ProfileVerbOptions>();
  CLI::App* verb = app.add_subcommand(
      "profile", "Verify and measure dispatches: generates and compiles them on its way");
  options->operations.addTo(*verb);
  options->generate.addTo(*verb);
  verb->add_option("--dispatches", options->dispatches,
                   "Only these: <regex>,<regex>, * for any text; whole names of dispatches, "
                   "operations or kinds");
  verb->add_option("--providers", options->providers,
                   "iree, onednn (the tuned library beside it, on the CPU)")
      ->capture_default_str();
  verb->add_option("--verification-enabled", options->profile.verify,
                   "Compare the results with a reference that IREE did not compute")
      ->capture_default_str();
  verb->add_option("--profiling-enabled", options->profile.measure, "Measure")
      ->capture_default_str();
  verb->add_option("--rounds", options->profile.fewestRounds,
                   "Side-by-side rounds at least; up to four times as many where times scatter")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  verb->add_option("--seed", options->profile.seed, "Of inputs and orders")->capture_default_str();
  options->program.addTo(*verb);
  options->output.addTo(*verb);
  options->toolchain.addTo(*verb);
  options->cluster.addTo(*verb);
  verb->footer(
      "Examples:\n"
      "  hone profile --problem-m 128 --problem-n 128:1280:128 --problem-k 256 --output data.csv\n"
      "  hone profile --kind attention --batch 4 --queries 256 --providers iree,onednn\n"
      "  hone profile --problem-m 512 --problem-n 512 --problem-k 512 --configs all\n"
      "  hone profile workload.txt --limit 8 --type f32\n"
      "  hone profile model.mlir                                dispatch by dispatch\n"
      "  hone profile workload.txt --executor slurm --nodes 8 --partition batch\n"
      "  hone profile --dispatches='matmul_128x*'               of what hone generate made\n"
      "Exit code 1: a result is wrong, or something did not compile or run.");
  verb->callback([&context, options, verb] {
    options->toolchain.targetGiven = verb->count("--target") > 0;
    options->profile.mostRounds = 4 * options->profile.fewestRounds;
    context.action = [&context, options] { return profileVerb(context, *options); };
  });
}

}  // namespace hone::app
