#include "app/bench/bench.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/bench/bench_report.h"
#include "app/common/toolchain.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "engine/builder.h"
#include "engine/executor/local_executor.h"
#include "engine/plan/experiment.h"
#include "iree/compile/cache/flag_files.h"
#include "model/result/run_failure.h"

namespace hone::app {
namespace {

struct BenchOptions {
  std::string file;
  std::string other;
  std::string function;
  std::vector<std::string> inputs;
  std::string configs;
  std::string flags;
  std::string flagsA;
  std::string flagsB;
  std::string budget;
  std::int64_t rounds = 20;
  double margin = 0.01;
  std::uint64_t seed = 1;
  ToolchainOptions toolchain;
};

Result<std::vector<std::string>> wordsOf(std::string_view option, const std::string& text) {
  auto words = shellWords(text);
  if (!words) {
    return userError("{}: a quote is not closed: {}", option, text);
  }
  return *words;
}

Result<std::vector<model::Config>> readConfigs(const std::string& file) {
  const auto json = nlohmann::json::parse(HONE_TRY(readFile(file)), nullptr, false);
  if (!json.is_array()) {
    return userError("{} is not a JSON list of configs; docs/bench.md shows one", file);
  }
  std::vector<model::Config> configs;
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto config = model::configFrom(json[i]);
    if (!config) {
      return within(fmt::format("{}, entry {}", file, i + 1), config.error());
    }
    if (config->name.empty()) {
      config->name = fmt::format("config {}", i + 1);
    }
    configs.push_back(std::move(*config));
  }
  if (configs.empty()) {
    return userError("{} has no configs", file);
  }
  return configs;
}

Result<void> checkSameSignature(const engine::Program& a, const engine::Program& b) {
  if (a.inputTypes != b.inputTypes || a.resultTypes != b.resultTypes) {
    return userError("@{} and @{} cannot be compared: ({}) -> ({}) against ({}) -> ({})",
                     a.function, b.function, join(a.inputTypes, ", "), join(a.resultTypes, ", "),
                     join(b.inputTypes, ", "), join(b.resultTypes, ", "));
  }
  return {};
}

/// The candidates: A and B, or the baseline and the configs, or the program alone.
Result<void> addCandidates(const BenchOptions& options, engine::Plan& plan) {
  const bool flagsDiffer = !options.flagsA.empty() || !options.flagsB.empty();
  if (!options.configs.empty()) {
    plan.candidates.push_back({0, {"baseline", {}, {}}});
    for (model::Config& config : HONE_TRY(readConfigs(options.configs))) {
      plan.candidates.push_back({0, std::move(config)});
    }
    return {};
  }
  plan.selects = false;
  if (!flagsDiffer && options.other.empty()) {
    plan.candidates.push_back({0, {plan.programs.front().label(), {}, {}}});
    return {};
  }
  plan.candidates.push_back({0, {"A", HONE_TRY(wordsOf("--flags-a", options.flagsA)), {}}});
  plan.candidates.push_back(
      {plan.programs.size() - 1, {"B", HONE_TRY(wordsOf("--flags-b", options.flagsB)), {}}});
  return {};
}

Result<engine::Plan> makePlan(const BenchOptions& options, Toolchain& toolchain,
                              const std::filesystem::path& folder) {
  engine::Plan plan;
  plan.flags = toolchain.target.flags;
  for (std::string& flag : HONE_TRY(wordsOf("--flags", options.flags))) {
    plan.flags.push_back(std::move(flag));
  }
  plan.programs.push_back(HONE_TRY(
      engine::loadProgram(toolchain.compiler, options.file, options.function, plan.flags)));
  if (!options.other.empty()) {
    plan.programs.push_back(HONE_TRY(
        engine::loadProgram(toolchain.compiler, options.other, options.function, plan.flags)));
    HONE_CHECK(checkSameSignature(plan.programs[0], plan.programs[1]));
  }
  plan.seed = options.seed;
  plan.rounds = options.rounds;
  plan.compare.margin = options.margin;
  plan.compare.seed = options.seed;
  if (!options.budget.empty()) {
    plan.budget = HONE_TRY(engine::budgetFrom(options.budget));
  }
  HONE_CHECK(addCandidates(options, plan));
  plan.inputs =
      HONE_TRY(engine::makeInputs(plan.programs.front(), options.inputs, options.seed, folder));
  return plan;
}

/// Equal for commands that ask for the same work: what is compiled, where it runs, how it is
/// judged.
std::string runKey(const engine::Plan& plan, const Toolchain& toolchain,
                   const BenchOptions& options) {
  Hasher hasher;
  hasher.field("bench").field(toolchain.compiler.revision()).field(toolchain.device->name);
  for (const engine::Program& program : plan.programs) {
    hasher.field("program").field(program.hash).field(program.function);
  }
  for (const engine::Candidate& candidate : plan.candidates) {
    hasher.field("candidate")
        .field(std::to_string(candidate.program))
        .field(candidate.config.key());
  }
  for (const std::string& flag : plan.flags) {
    iree::addFlag(hasher.field("flag"), flag);
  }
  for (const std::string& input : options.inputs) {
    hasher.field("input").field(input);
  }
  hasher.field(
      fmt::format("{} {} {} {}", plan.seed, plan.rounds, plan.compare.margin, options.budget));
  return hasher.hex();
}

/// A target without a device here: compiled, and said so.
Result<int> compileOnly(const Context& context, Toolchain& toolchain, const engine::Plan& plan) {
  std::vector<iree::CompileRequest> requests;
  for (const engine::Candidate& candidate : plan.candidates) {
    requests.push_back(engine::requestFor(plan, candidate, iree::CompileRequest::Route::batched));
  }
  const auto compiled = HONE_TRY(engine::Builder(toolchain.compiler).build(std::move(requests)));
  return reportCompileOnly(context, toolchain.target.name, plan, compiled);
}

Result<int> bench(const Context& context, const BenchOptions& options) {
  HONE_TRY(readFile(options.file));  // before the slower things: a missing file is the common slip
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-bench"));
  const engine::Plan plan = HONE_TRY(makePlan(options, toolchain, scratch.path()));
  if (!toolchain.device) {
    return compileOnly(context, toolchain, plan);
  }
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  Progress progress(context.quiet || context.json);
  store::Run described = describeRun(context, toolchain, "bench");
  described.key = runKey(plan, toolchain, options);
  described.seed = plan.seed;
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  const iree::ModuleRunner runner = toolchain.runner();
  engine::LocalExecutor executor(store, run, progress);
  engine::Experiment experiment({toolchain.compiler, runner, store, progress, run, executor});
  auto findings = experiment.run(plan);
  if (!findings) {
    if (findings.error().fault == Fault::user) {
      HONE_CHECK(store.finishRun(run, store::RunStatus::failed,
                                 toJson(model::RunFailure{findings.error().message})));
    }
    return std::unexpected(findings.error());
  }
  const BenchRun bench{run, toolchain.target.name, runner.device(), plan, std::move(*findings)};
  model::BenchResult result = resultOf(bench);
  result.ownCpuNs = ownCpuNs() - experiment.referenceCpuNs() + toolchain.compiler.forkServerCpuNs();
  const nlohmann::json summary = toJson(result);
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  return reportBench(context, bench, summary);
}

}  // namespace

void addBenchVerb(CLI::App& app, Context& context) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = app.add_subcommand(
      "bench", "Measure a program, two against each other, or many configs, with a verdict");
  verb->add_option("FILE", options->file, "The program, in MLIR")->required();
  verb->add_option("--function", options->function, "Which function; needed if there are several");
  verb->add_option("--input", options->inputs,
                   "One an input: 4x8xf32 (hone makes the values), 4x8xf32=1, 4x8xf32=@file.npy")
      ->allow_extra_args(false);
  auto* vs = verb->add_option("--vs", options->other, "Another program to compare with");
  auto* configs =
      verb->add_option("--configs", options->configs, "Configs to try, a JSON list in a file");
  auto* flagsA = verb->add_option("--flags-a", options->flagsA, "Compiler flags of A");
  auto* flagsB = verb->add_option("--flags-b", options->flagsB, "Compiler flags of B");
  configs->excludes(vs)->excludes(flagsA)->excludes(flagsB);
  verb->add_option("--flags", options->flags, "Compiler flags of all");
  verb->add_option("--rounds", options->rounds, "Side-by-side rounds of the final")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  verb->add_option("--margin", options->margin, "Relative difference that does not count")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  verb->add_option("--budget", options->budget, "90s, 10m, 1h, 200trials, or 10m,200trials");
  verb->add_option("--seed", options->seed, "Of inputs and orders")->capture_default_str();
  options->toolchain.addTo(*verb);
  verb->footer(
      "Examples:\n"
      "  hone bench model.mlir                                  how long it takes\n"
      "  hone bench old.mlir --vs new.mlir                      which is faster, and how sure\n"
      "  hone bench model.mlir --flags-b=--iree-opt-data-tiling a flag, on or off\n"
      "  hone bench matmul.mlir --configs tiles.json --budget 5m\n"
      "  hone bench conv.mlir --target vulkan\n"
      "Exit code 1: B is slower, or its results are wrong.");
  verb->callback([&context, options] {
    context.action = [&context, options] { return bench(context, *options); };
  });
}

}  // namespace hone::app
