#include "app/tune/tune.h"

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/common/cluster_options.h"
#include "app/common/flag_options.h"
#include "app/common/open_executor.h"
#include "app/common/seed_option.h"
#include "app/common/toolchain.h"
#include "app/tune/tune_all.h"
#include "app/tune/tune_candidates.h"
#include "app/tune/tune_explain.h"
#include "app/tune/tune_folder.h"
#include "app/tune/tune_output.h"
#include "app/tune/tune_planned.h"
#include "app/tune/tune_programs.h"
#include "app/tune/tune_replay.h"
#include "app/tune/tune_report.h"
#include "app/tune/tune_sizes.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "engine/plan/candidate_timer.h"
#include "iree/compile/cache/flag_files.h"
#include "model/result/run_failure.h"
#include "tune/folder/tuned_folder.h"

namespace hone::app {
namespace {

/// Default number of candidates per dispatch with --compile-only.
constexpr std::int64_t kDefaultCandidates = 100;

struct TuneCommandOptions {
  TunePrograms programs;
  std::string output;
  std::string budget = "5m";
  bool budgetGiven = false;  ///< by the user; --compile-only ignores the default
  std::string dispatches;
  std::size_t top = 0;
  std::string strategy = "evolve";
  std::uint64_t seed = 1;
  bool seedGiven = false;  ///< by the user; overrides the seed of --continue
  std::int64_t rounds = 20;
  bool explain = false;
  bool keepFlags = false;
  bool compileOnly = false;
  std::string continued;  ///< a folder of --compile-only
  bool trusted = false;   ///< the user trusts its author
  std::string replayed;   ///< a run: a number, or "last"
  std::string starterSpec;
  FlagOptions flagOptions;
  std::vector<std::string> flags;  ///< the user's
  ToolchainOptions toolchain;
  ClusterOptions cluster;
};

std::vector<std::string> flagsFor(const Toolchain& toolchain, const TuneCommandOptions& options) {
  std::vector<std::string> flags = toolchain.target.flags;
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  return flags;
}

tune::TuneOptions tuneOptions(const TuneCommandOptions& options, const engine::Budget& budget,
                              Planned planned) {
  tune::TuneOptions tune;
  tune.planned = std::move(planned);
  tune.onlyPlanned = !options.continued.empty();
  tune.strategy = options.strategy;
  tune.budget = budget;
  tune.tunables = {options.dispatches, options.top};
  tune.tryFlags = !options.keepFlags && options.continued.empty();
  tune.rounds = options.rounds;
  tune.inputSpecs = options.programs.call.inputs;
  return tune;
}

std::string runKey(const Toolchain& toolchain, const std::vector<tune::WholeProgram>& programs,
                   const TuneCommandOptions& options, const std::string& executor) {
  Hasher hasher;
  hasher.field("tune").field(toolchain.compiler.revision()).field(toolchain.device->name);
  for (const tune::WholeProgram& whole : programs) {
    hasher.field(whole.program.hash).field(whole.program.function);
    for (const std::string& flag : whole.flags) {
      iree::addFlag(hasher, flag);
    }
  }
  options.programs.call.addTo(hasher);
  if (!options.continued.empty()) {
    iree::addFlag(hasher, fmt::format("--continue={}/candidates.json", options.continued));
  }
  iree::addFlag(hasher, fmt::format("--starter-spec={}", options.starterSpec));
  hasher.field(fmt::format("{} {} {} {} {} {} {}", options.budget, options.dispatches, options.top,
                           options.strategy, options.seed, options.rounds, options.keepFlags));
  if (executor != "local") {
    hasher.field(executor);
  }
  return hasher.hex();
}

/// Returns the options with those of a --compile-only folder.
TuneCommandOptions continuedOptions(TuneCommandOptions options,
                                    const tune::CandidateFolder& candidates) {
  options.programs.file = (std::filesystem::path(options.continued) / tune::kProgramFile).string();
  options.programs.call.function = candidates.function;
  options.programs.call.inputs = candidates.inputs;
  options.flags = candidates.flags;
  options.seed = options.seedGiven ? options.seed : candidates.seed;
  options.toolchain.target = candidates.target;
  return options;
}

/// Returns the setup of the workers. For the target `local` it includes the CPU, because the
/// dispatches are extracted on this machine.
cluster::WorkerSetup setupFor(const Toolchain& toolchain, const ToolchainOptions& options) {
  cluster::WorkerSetup setup{.toolchain = toolchainSetup(toolchain, options)};
  if (toolchain.target.name == "local") {
    setup.cpu = cpuName();
  }
  return setup;
}

/// Rejects flags that load a spec: it would apply to every candidate and conflict with the tuned
/// one.
Result<void> checkFlags(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    const std::string name = flag.substr(0, flag.find('='));
    if (name == "--iree-codegen-tuning-spec-path" ||
        name == "--iree-codegen-transform-dialect-library") {
      return userError(
          "{} is not supported as a compiler flag; use --starter-spec to try its entries first",
          name);
    }
  }
  return {};
}

/// Clocks at the start of a run.
struct EffortStart {
  std::int64_t wallNs = nowNs();
  std::int64_t waitedNs = engine::MachineLock::waitedNs();
  std::int64_t candidatesNs = engine::CandidateTimer::totalNs();
};

tune::Effort measureEffort(const EffortStart& start) {
  const EffortStart now;
  const auto spentNs = static_cast<double>(now.wallNs - start.wallNs) -
                       static_cast<double>(now.waitedNs - start.waitedNs);
  const auto candidatesNs = static_cast<double>(now.candidatesNs - start.candidatesNs);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.seconds = spentNs / 1e9,
          .candidateShare = spentNs > 0 ? std::min(candidatesNs / spentNs, 1.0) : 0,
          .peakBytes = usage.ru_maxrss * 1024};
}

/// Checks the options that can be checked before the compiler is started.
Result<void> checkOptions(const TuneCommandOptions& options) {
  HONE_CHECK(tune::dispatchRegex(options.dispatches));
  if (!options.explain && !options.compileOnly) {
    HONE_CHECK(isTunedFolder(options.output) ? tune::checkTunedFolder(options.output)
                                             : checkParentFolder(options.output));
  }
  if (!options.programs.file.empty()) {
    HONE_TRY(readFile(options.programs.file));
  }
  return {};
}

/// Compiles candidates for --compile-only.
Result<int> compileCandidates(const Context& context, Toolchain& toolchain,
                              const std::vector<tune::WholeProgram>& programs,
                              const TuneCommandOptions& options) {
  const engine::Budget budget = HONE_TRY(engine::budgetFrom(options.budget));
  const auto count = static_cast<std::size_t>(budget.trials.value_or(kDefaultCandidates));
  return compileOnly(context, toolchain, programs,
                     {options.output,
                      count,
                      {options.budgetGiven ? budget.time : std::nullopt, {}},
                      {options.dispatches, options.top},
                      options.flags,
                      options.programs.call.inputs});
}

/// One run of `hone tune` that measures: tunes the programs, then stores and writes the results.
class TuneRun {
 public:
  /// All arguments must outlive the run.
  TuneRun(const Context& context, const TuneCommandOptions& options, Toolchain& toolchain,
          Progress& progress)
      : context_(context), options_(options), toolchain_(toolchain), progress_(progress) {}

  /// Returns the exit code. `candidates` are those of --continue; `folder` is for scratch files.
  [[nodiscard]] Result<int> perform(std::vector<tune::WholeProgram> programs, Planned candidates,
                                    const ToolchainOptions& toolchainOptions,
                                    const std::filesystem::path& folder) {
    const engine::Budget budget = HONE_TRY(engine::budgetFrom(options_.budget));
    const cluster::Options cluster = HONE_TRY(options_.cluster.resolve());
    auto store = HONE_TRY(store::Store::open(context_.store, store::Store::Mode::write));
    store::Run described = describeRun(context_, toolchain_, "tune");
    described.key = runKey(toolchain_, programs, options_, cluster.executor);
    described.seed = options_.seed;
    const std::int64_t run = HONE_TRY(findOrAddRun(context_, store, described, progress_));
    const iree::ModuleRunner runner = toolchain_.runner();
    const auto executor = HONE_TRY(openExecutor(cluster, setupFor(toolchain_, toolchainOptions),
                                                {store, context_.store, run, progress_}));
    if (budget.time) {
      HONE_CHECK(executor->awaitReady());
    }
    const EffortStart start;
    const engine::TrialContext bench{toolchain_.compiler, runner, store, progress_, run, *executor};
    const engine::Budget share = engine::divideBudget(budget, programs.size());
    auto tuned = tuneAll(bench, toolchain_,
                         {.programs = std::move(programs),
                          .options = tuneOptions(options_, share, std::move(candidates)),
                          .starterSpec = options_.starterSpec,
                          .folder = folder});
    if (!tuned) {
      if (tuned.error().fault == Fault::user) {
        HONE_CHECK(store.finishRun(run, store::RunStatus::failed,
                                   toJson(model::RunFailure{tuned.error().message})));
        static_cast<void>(executor->close());
      }
      return std::unexpected(tuned.error());
    }
    if (!tuned->tuned.empty() && !options_.programs.file.empty()) {
      HONE_CHECK(
          proveOtherSizes(bench, toolchain_, options_.programs.call, folder, tuned->tuned.front()));
    }
    if (cluster.executor == "local") {  // elsewhere, others spend the time
      effort_ = measureEffort(start);
      for (TunedProgram& one : tuned->tuned) {
        one.effort = effort_;
      }
    }
    const nlohmann::json summary = HONE_TRY(writeAll(*tuned));
    HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
    const auto closed = executor->close();
    print(*tuned, summary, run);
    HONE_CHECK(closed);
    return 0;
  }

 private:
  /// Writes the spec or the folder and returns the summary of the run. If writing fails, the run
  /// stays unfinished and the same command can write it later.
  [[nodiscard]] Result<nlohmann::json> writeAll(const TuneAllResult& tuned) {
    model::TuneResult result = toResult(tuned);
    std::int64_t referenceCpuNs = 0;
    for (const TunedProgram& one : tuned.tuned) {
      referenceCpuNs += one.result.referenceCpuNs;
    }
    result.ownCpuNs = ownCpuNs() - referenceCpuNs + toolchain_.compiler.forkServerCpuNs();
    if (isTunedFolder(options_.output)) {
      HONE_CHECK(writeTunedFolder(context_, toolchain_, tuned.tuned.front(), options_.output));
    } else {
      HONE_CHECK(writeResult(context_, toolchain_, progress_, tuned.tuned, options_.output));
    }
    if (tuned.ended) {
      return within(fmt::format("{} of {} programs done; rerun the command to resume",
                                tuned.tuned.size() + tuned.skipped.size(), tuned.total),
                    *tuned.ended);
    }
    nlohmann::json summary = toJson(result);
    if (effort_) {
      summary["effort"] = tune::toJson(*effort_);
    }
    return summary;
  }

  void print(const TuneAllResult& tuned, const nlohmann::json& summary, std::int64_t run) const {
    if (context_.json) {
      fmt::print("{}\n", jsonText(summary, 2));
      return;
    }
    for (const model::SkippedProgram& one : tuned.skipped) {
      fmt::print("{}: skipped: {}\n", one.program, one.error);
    }
    if (effort_) {
      printEffort(*effort_);
    }
    fmt::print("run {}; next: hone report {} -o report.html\n", run, run);
  }

  const Context& context_;
  const TuneCommandOptions& options_;
  Toolchain& toolchain_;
  Progress& progress_;
  std::optional<tune::Effort> effort_;  ///< nullopt on a cluster
};

Result<int> tune(const Context& context, TuneCommandOptions options) {
  if (!options.replayed.empty()) {
    return replayRun(context, options.replayed, options.strategy, options.output);
  }
  options.flags = HONE_TRY(options.flagOptions.flags());
  HONE_CHECK(checkFlags(options.flags));
  Planned candidates;
  if (!options.continued.empty()) {
    const auto folder = HONE_TRY(tune::readCandidates(options.continued));
    if (!options.trusted) {
      HONE_CHECK(tune::checkForeign(folder, options.continued));
    }
    options = continuedOptions(std::move(options), folder);
    candidates = plannedBy(folder);
  }
  HONE_CHECK(engine::budgetFrom(options.budget));
  HONE_CHECK(checkOptions(options));
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  const bool runsLocally = options.explain || options.compileOnly;
  const ToolchainOptions toolchainOptions =
      runsLocally ? options.toolchain : commandToolchain(options.toolchain, cluster);
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, toolchainOptions));
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-tune"));
  Progress progress(context.quiet || context.json);
  auto programs = HONE_TRY(options.programs.load(toolchain, flagsFor(toolchain, options),
                                                 options.seed, scratch.path(), progress));
  if (programs.size() > 1 && isTunedFolder(options.output) && !options.compileOnly) {
    return userError(
        "-o {}: a folder holds one program; use a spec that ends with .mlir for {} programs",
        options.output, programs.size());
  }
  if (options.explain) {
    return explainPrograms(context, toolchain, programs, {options.dispatches, options.top});
  }
  if (options.compileOnly) {
    return compileCandidates(context, toolchain, programs, options);
  }
  if (!toolchain.device) {
    return userError(
        "no {} device found; use --compile-only to compile candidates for another machine",
        toolchain.target.name);
  }
  return TuneRun(context, options, toolchain, progress)
      .perform(std::move(programs), std::move(candidates), toolchainOptions, scratch.path());
}

}  // namespace

void addTuneCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<TuneCommandOptions>();
  CLI::App* command =
      app.add_subcommand("tune", "Search flags and dispatch knobs, and write a tuning spec");
  options->programs.addTo(*command);
  options->flagOptions.addTo(*command);
  command
      ->add_option("-o,--output", options->output,
                   "Folder for spec, flags and module; or only the spec, if it ends with .mlir "
                   "(default: stdout)")
      ->type_name("FILE");
  CLI::Option* budget =
      command
          ->add_option("--budget", options->budget,
                       "Limit of time, trials or both: 90s, 200trials, 10m,200trials")
          ->capture_default_str();
  command
      ->add_option("--dispatches", options->dispatches,
                   "Tune only dispatches whose names match this regex (default: all)")
      ->type_name("REGEX");
  command
      ->add_option("--top", options->top,
                   "Tune only the N most expensive dispatches (default: all)")
      ->check(CLI::PositiveNumber);
  command->add_option("--strategy", options->strategy, "Search strategy")
      ->check(CLI::IsMember({"evolve", "model", "random", "exhaustive"}))
      ->capture_default_str();
  CLI::Option* seed = addSeedOption(*command, options->seed);
  command->add_option("--rounds", options->rounds, "Interleaved rounds of the final comparison")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  CLI::Option* explain = command->add_flag(
      "--explain", options->explain,
      "Show dispatches, their data flow and knobs; with --dispatches, the IR of one");
  command->add_flag("--keep-flags", options->keepFlags, "Do not try whole-program compiler flags");
  command
      ->add_option("--starter-spec", options->starterSpec,
                   "Tuning spec whose entries are tried first")
      ->type_name("FILE");
  CLI::Option* compileOnly =
      command->add_flag("--compile-only", options->compileOnly,
                        "Only compile candidates, for another machine: 100 per dispatch, or as "
                        "many as --budget allows");
  CLI::Option* continued = command
                               ->add_option("--continue", options->continued,
                                            "Measure the candidates in a --compile-only folder")
                               ->type_name("DIR");
  command->add_flag("--trust", options->trusted,
                    "With --continue, accept flags that name programs or files");
  CLI::Option* replayed =
      command
          ->add_option(
              "--replay", options->replayed,
              "Simulate --strategy on a recorded run, a number or last; -o saves the recordings")
          ->type_name("RUN");
  explain->excludes(compileOnly)->excludes(continued)->excludes(replayed);
  compileOnly->excludes(continued)->excludes(replayed);
  continued->excludes(replayed);
  options->toolchain.addTo(*command);
  options->cluster.addTo(*command);
  command->footer(
      "Examples:\n"
      "  hone tune model.onnx --budget 10m -o model.tuned  a folder to ship\n"
      "  hone tune model.mlir -o spec.mlir                 only the spec\n"
      "  hone tune model.mlir --explain                    show dispatches and knobs\n"
      "  hone tune model.mlir --explain --dispatches dispatch_3   its IR and values\n"
      "  hone tune --problem matmul_512x768x1024_f32 --budget 1m\n"
      "  hone tune model.mlir --top 3 -- --iree-opt-data-tiling\n"
      "  hone tune conv.mlir --target vulkan -o spec.mlir\n"
      "  hone tune model.mlir --target rocm:gfx942 --compile-only -o candidates\n"
      "  hone tune --continue candidates -o spec.mlir      on a machine with the device\n"
      "  hone tune model.mlir --executor slurm --nodes 4 --gres gpu:1\n"
      "  hone tune --replay 12 --strategy model            compiles nothing\n"
      "Knobs are the settings of one dispatch: tile sizes, lowering pipeline, threads per "
      "workgroup.\n"
      "Without a significant gain on the whole program, no spec is written and the exit code is "
      "0.");
  command->callback([&context, options, budget, seed] {
    options->budgetGiven = budget->count() > 0;
    options->seedGiven = seed->count() > 0;
    context.action = [&context, options] { return tune(context, *options); };
  });
}

}  // namespace hone::app
