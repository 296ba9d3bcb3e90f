#include "app/bench/bench.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/bench/bench_report.h"
#include "app/common/call_options.h"
#include "app/common/flag_options.h"
#include "app/common/seed_option.h"
#include "app/common/share.h"
#include "app/common/toolchain.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "engine/builder.h"
#include "engine/executor/local_executor.h"
#include "engine/plan/experiment.h"
#include "iree/compile/cache/flag_files.h"
#include "iree/compile/toolchain/foreign_flags.h"
#include "model/result/run_failure.h"
#include "verify/onnxruntime/onnx_runtime_api.h"

namespace hone::app {
namespace {

struct BenchOptions {
  std::string file;
  std::string other;
  CallOptions call;
  std::string configs;
  FlagOptions flags;
  std::string flagsA;
  std::string flagsB;
  std::string providers = "iree";
  std::string budget;
  std::int64_t rounds = 20;
  std::string margin = "1%";
  std::uint64_t seed = 1;
  bool trusted = false;  ///< the user trusts the author of the configs
  ToolchainOptions toolchain;
};

Result<std::vector<model::Config>> readConfigs(const std::string& file, bool trusted) {
  const auto json = HONE_TRY(jsonFrom(HONE_TRY(readFile(file)), file));
  if (!json.is_array()) {
    return userError("{}: expected a JSON list of configs; see docs/bench.md", file);
  }
  std::vector<model::Config> configs;
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto config = model::configFrom(json[i]);
    if (!config) {
      return within(fmt::format("{}, entry {}", file, i + 1), config.error());
    }
    if (hasControlCharacters(config->name)) {
      return userError("{}, entry {}: the name has a control character", file, i + 1);
    }
    if (!trusted) {
      HONE_CHECK(iree::checkForeignFlags(config->flags, fmt::format("{}, entry {}", file, i + 1)));
    }
    if (config->name.empty()) {
      config->name = fmt::format("config {}", i + 1);
    }
    configs.push_back(std::move(*config));
  }
  if (configs.empty()) {
    return userError("{}: no configs found", file);
  }
  return configs;
}

Result<void> checkSameSignature(const engine::Program& a, const engine::Program& b) {
  if (a.inputTypes != b.inputTypes || a.resultTypes != b.resultTypes) {
    return userError("@{} and @{} have different signatures: ({}) -> ({}) and ({}) -> ({})",
                     a.function, b.function, join(a.inputTypes, ", "), join(a.resultTypes, ", "),
                     join(b.inputTypes, ", "), join(b.resultTypes, ", "));
  }
  return {};
}

/// Adds the candidates: A and B, the baseline and all configs, or the program alone.
Result<void> addCandidates(const BenchOptions& options, engine::Plan& plan) {
  const bool flagsDiffer = !options.flagsA.empty() || !options.flagsB.empty();
  if (!options.configs.empty()) {
    plan.candidates.push_back({0, {"baseline", {}, {}}});
    for (model::Config& config : HONE_TRY(readConfigs(options.configs, options.trusted))) {
      plan.candidates.push_back({0, std::move(config)});
    }
    return {};
  }
  plan.selects = false;
  if (!flagsDiffer && options.other.empty()) {
    plan.candidates.push_back({0, {plan.programs.front().label(), {}, {}}});
    return {};
  }
  plan.candidates.push_back({0, {"A", HONE_TRY(splitFlags("--flags-a", options.flagsA)), {}}});
  plan.candidates.push_back(
      {plan.programs.size() - 1, {"B", HONE_TRY(splitFlags("--flags-b", options.flagsB)), {}}});
  return {};
}

/// Parses --providers; returns true if ONNX Runtime is one of them.
Result<bool> wantsOnnxRuntime(const std::string& providers) {
  bool wanted = false;
  for (const std::string& name : splitAt(providers, ',')) {
    if (name != "iree" && name != "onnxruntime") {
      return userError("--providers: unknown provider '{}'; expected iree or onnxruntime", name);
    }
    wanted = wanted || name == "onnxruntime";
  }
  return wanted;
}

/// Fails if ONNX Runtime is not installed or there is no model for it.
Result<void> checkOnnxRuntime(const engine::Program& program, const Toolchain& toolchain) {
  if (program.model.empty()) {
    return userError("--providers onnxruntime: {} is not an ONNX model", program.fileName());
  }
  if (verify::findOnnxRuntime(toolchain.installation.site).empty()) {
    return machineError("ONNX Runtime is not installed; run {}", installCommand("models"));
  }
  return {};
}

Result<engine::Plan> makePlan(const BenchOptions& options, Toolchain& toolchain,
                              const std::filesystem::path& folder) {
  engine::Plan plan;
  plan.flags = toolchain.target.flags;
  for (std::string& flag : HONE_TRY(options.flags.flags())) {
    plan.flags.push_back(std::move(flag));
  }
  const auto load = [&](const std::string& file) -> Result<engine::Program> {
    return engine::loadProgram(toolchain.compiler,
                               HONE_TRY(options.call.sourceFor(file, plan.flags)));
  };
  plan.programs.push_back(HONE_TRY(load(options.file)));
  if (!options.other.empty()) {
    plan.programs.push_back(HONE_TRY(load(options.other)));
    HONE_CHECK(checkSameSignature(plan.programs[0], plan.programs[1]));
  }
  plan.seed = options.seed;
  plan.rounds = options.rounds;
  plan.alternative = HONE_TRY(wantsOnnxRuntime(options.providers));
  if (plan.alternative) {
    HONE_CHECK(checkOnnxRuntime(plan.programs.front(), toolchain));
  }
  plan.compare.margin = HONE_TRY(shareFrom("--margin", options.margin));
  plan.compare.seed = options.seed;
  if (!options.budget.empty()) {
    plan.budget = HONE_TRY(engine::budgetFrom(options.budget));
  }
  HONE_CHECK(addCandidates(options, plan));
  plan.inputSpecs = options.call.inputs;
  plan.inputs = HONE_TRY(
      engine::makeInputs(plan.programs.front(), options.call.inputs, options.seed, folder));
  return plan;
}

/// Returns a key that is equal for commands with the same inputs, compiler, device and criteria.
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
  options.call.addTo(hasher);
  hasher.field(fmt::format("{} {} {} {} {}", plan.seed, plan.rounds, plan.compare.margin,
                           options.budget, options.providers));
  return hasher.hex();
}

/// Compiles all candidates for a target that has no device on this machine.
Result<int> compileOnly(const Context& context, Toolchain& toolchain, const engine::Plan& plan) {
  std::vector<iree::CompileRequest> requests;
  for (const engine::Candidate& candidate : plan.candidates) {
    requests.push_back(engine::requestFor(plan, candidate, iree::CompileRequest::Route::batched));
  }
  const auto compiled = HONE_TRY(engine::Builder(toolchain.compiler).build(std::move(requests)));
  return reportCompileOnly(context, toolchain.target.name, plan, compiled);
}

Result<int> bench(const Context& context, const BenchOptions& options) {
  // Fail before the compiler starts.
  HONE_CHECK(shareFrom("--margin", options.margin));
  HONE_TRY(readFile(options.file));
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options.toolchain));
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-bench"));
  const engine::Plan plan = HONE_TRY(makePlan(options, toolchain, scratch.path()));
  Progress progress(context.quiet || context.json);
  reportChosenSizes(plan.programs.front(), progress);
  if (!toolchain.device) {
    return compileOnly(context, toolchain, plan);
  }
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
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
  const BenchRun bench{run,  toolchain.target.name, runner.device(),
                       plan, std::move(*findings),  experiment.alternative()};
  model::BenchResult result = toResult(bench);
  result.ownCpuNs = ownCpuNs() - experiment.referenceCpuNs() + toolchain.compiler.forkServerCpuNs();
  const nlohmann::json summary = toJson(result);
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  return reportBench(context, bench, summary);
}

}  // namespace

void addBenchCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure a program, or compare programs, compiler flags or configs");
  command->add_option("PROGRAM", options->file, "Model (.onnx) or MLIR program (A)")->required();
  options->call.addTo(*command);
  auto* vs = command->add_option("--vs", options->other, "MLIR program to compare with A (B)")
                 ->type_name("FILE");
  auto* configs = command
                      ->add_option("--configs", options->configs,
                                   "JSON file with configs to compare, see docs/bench.md")
                      ->type_name("FILE");
  command->add_flag("--trust", options->trusted,
                    "With --configs, accept flags that name programs or files");
  auto* flagsA = command->add_option("--flags-a", options->flagsA, "Compiler flags for A only")
                     ->type_name("FLAGS");
  auto* flagsB = command->add_option("--flags-b", options->flagsB, "Compiler flags for B only")
                     ->type_name("FLAGS");
  configs->excludes(vs)->excludes(flagsA)->excludes(flagsB);
  options->flags.addTo(*command);
  command->add_option("--rounds", options->rounds, "Interleaved rounds of the final comparison")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  command->add_option("--margin", options->margin, "Smaller differences count as equal: 1% or 0.01")
      ->type_name("SHARE")
      ->capture_default_str();
  command->add_option(
      "--budget", options->budget,
      "Limit of time, trials or both: 90s, 200trials, 10m,200trials (default: none)");
  command
      ->add_option("--providers", options->providers,
                   "Runtimes to measure: iree, or iree,onnxruntime for an ONNX model")
      ->capture_default_str();
  addSeedOption(*command, options->seed);
  options->toolchain.addTo(*command);
  command->footer(
      "Examples:\n"
      "  hone bench model.mlir                                   time of a program\n"
      "  hone bench old.mlir --vs new.mlir                       compare two programs\n"
      "  hone bench model.mlir --flags-b=--iree-opt-data-tiling  effect of a flag\n"
      "  hone bench model.onnx --providers iree,onnxruntime      beside ONNX Runtime\n"
      "  hone bench matmul.mlir --configs tiles.json --budget 5m\n"
      "  hone bench conv.mlir --target vulkan\n"
      "Without --vs, A and B are the same program. Without a device for the target, everything "
      "is compiled and nothing is measured.\n"
      "Exit code 1: B is significantly slower, fails or has wrong results.");
  command->callback([&context, options] {
    context.action = [&context, options] { return bench(context, *options); };
  });
}

}  // namespace hone::app
