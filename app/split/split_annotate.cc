#include "app/split/split_annotate.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/call_options.h"
#include "app/common/seed_option.h"
#include "app/common/toolchain.h"
#include "app/split/split_report.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "engine/executor/local_executor.h"
#include "engine/machine_lock.h"
#include "engine/program/inputs.h"
#include "engine/program/program.h"
#include "engine/rounds/call_trials.h"
#include "engine/rounds/round_policies.h"
#include "iree/compile/split_compile.h"
#include "model/result/summary/split_result.h"
#include "model/workload/miopen.h"
#include "model/workload/sweep.h"
#include "report/render/table.h"
#include "split/fit/rule.h"
#include "split/sweep/result_files.h"
#include "split/sweep/result_reader.h"
#include "split/sweep/sweeper.h"
#include "stats/summary.h"

namespace hone::app {
namespace {

/// Minimum speedup of an operation, measured alone, to annotate it.
constexpr double kMinGain = 1.05;

struct AnnotateOptions {
  std::string model;
  std::string output;
  CallOptions call;
  std::string results;
  std::string limits = "1,2,4,8,16,64,128,256";
  std::uint64_t seed = 1;
  bool force = false;
  ToolchainOptions toolchain;
};

/// Returns true if the annotated program is to be written: only a proven improvement, unless
/// forced.
bool isWritten(const AnnotateOptions& options, const stats::Comparison& comparison) {
  return options.force || comparison.verdict == stats::Verdict::improved;
}

/// The best split of an operation, and its speedup over no split.
struct Winner {
  std::vector<std::int64_t> sizes;
  double gain = 1;
};

/// Tools to measure programs in one run.
struct AnnotateContext {
  Toolchain& toolchain;
  const iree::ModuleRunner& runner;
  store::Store& store;
  Progress& progress;
  std::int64_t run;
};

/// Returns the request that compiles the program as it is.
iree::CompileRequest requestFor(const Toolchain& toolchain, const engine::Program& program) {
  iree::CompileRequest request{program.source, program.hash, toolchain.target.flags, {}};
  request.from = program.from;
  request.label = program.fileName();
  return request;
}

/// Returns the best split; nullopt if none gains at least kMinGain over no split.
std::optional<Winner> findWinner(const split::ShapeResult& shape) {
  if (!shape.noSplit) {
    return std::nullopt;
  }
  std::optional<Winner> winner;
  for (const auto& [limit, timing] : shape.limits) {
    const double gain = shape.noSplit->timeUs() / timing.timeUs();
    if (gain >= kMinGain && (!winner || gain > winner->gain)) {
      winner = Winner{split::sizesUnder(shape.reduction, limit), gain};
    }
  }
  return winner && !winner->sizes.empty() ? winner : std::nullopt;
}

/// Returns the shapes of the sweep in --results, or sweeps the program's operations.
Result<std::vector<split::ShapeResult>> shapesFor(const AnnotateOptions& options,
                                                  AnnotateContext& bench,
                                                  const engine::Program& program) {
  if (!options.results.empty()) {
    return HONE_TRY(split::readResults(HONE_TRY(resultsFolder(options.results)))).shapes;
  }
  const auto problems =
      HONE_TRY(bench.toolchain.compiler.problems(requestFor(bench.toolchain, program)));
  std::vector<split::SweepProblem> swept;
  for (const model::Problem& problem : problems) {
    const std::string line = model::formatCommandLine(problem);
    const bool known = std::any_of(swept.begin(), swept.end(), [&](const split::SweepProblem& one) {
      return one.arguments == line;
    });
    if (!known && !std::holds_alternative<model::Attention>(problem)) {
      swept.push_back({line, problem});
    }
  }
  split::SweepOptions sweepOptions;
  split::SweepSettings& settings = sweepOptions.settings;
  settings.limits = HONE_TRY(model::sizesFrom("--limits", options.limits));
  settings.flags = bench.toolchain.target.flags;
  settings.compiler = bench.toolchain.compiler.revision();
  settings.seed = options.seed;
  sweepOptions.device = bench.runner.device().name;
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-split"));
  const split::SweepTools tools{split::attributeChoices(bench.toolchain.compiler, settings.limits),
                                bench.runner, folder.path()};
  engine::LocalExecutor executor(bench.store, bench.run, bench.progress);
  split::Sweeper sweeper({executor, bench.store, bench.run, bench.progress}, tools, sweepOptions);
  std::vector<split::ShapeResult> shapes;
  for (const split::ShapeRecord& record : HONE_TRY(sweeper.sweep(swept))) {
    shapes.push_back(record.shape);
  }
  return shapes;
}

/// Returns the best split of each operation; nullopt where there is none.
std::vector<std::optional<Winner>> winnersFor(const iree::Splittable& program,
                                              const std::vector<split::ShapeResult>& shapes) {
  std::vector<std::optional<Winner>> winners;
  for (const model::Reduction& operation : program.operations) {
    const auto at = std::find_if(shapes.begin(), shapes.end(), [&](const auto& shape) {
      return shape.reduction.kind == operation.kind && shape.reduction.sizes == operation.sizes &&
             shape.reduction.outputSize() == operation.outputSize();
    });
    winners.push_back(at == shapes.end() ? std::nullopt : findWinner(*at));
  }
  return winners;
}

/// Verifies and measures the program with and without splits, interleaved.
Result<stats::Comparison> compareWith(const AnnotateOptions& options, AnnotateContext& bench,
                                      const engine::Program& program,
                                      const iree::Splittable& annotated,
                                      const iree::SplitSizes& sizes) {
  std::vector<iree::Compiled> plain;
  std::vector<std::vector<iree::SplitCompiled>> split;
  {
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    const std::vector<iree::CompileRequest> requests = {requestFor(bench.toolchain, program)};
    const std::vector<iree::SplitOrder> orders = {{&annotated, {sizes}}};
    plain = HONE_TRY(bench.toolchain.compiler.compileAll(requests, {}));
    split = HONE_TRY(iree::compileSplits(bench.toolchain.compiler, orders));
  }
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-annotate"));
  const engine::Inputs inputs =
      HONE_TRY(engine::makeInputs(program, options.call.inputs, options.seed, scratch.path()));
  engine::Verifier verifier(bench.runner, program, inputs, scratch.path());
  const engine::Sampler sampler(bench.runner);
  engine::TrialLog log(bench.store, bench.run);
  HONE_CHECK(log.restore());
  engine::CallTrials contenders(log, sampler);
  std::vector<engine::Participant> participants;
  const auto add = [&](const std::string& name, const iree::CompileReport& report,
                       const std::filesystem::path& module,
                       const std::string& function) -> Result<void> {
    engine::CallTrial contender;
    contender.call = {module, function, inputs.arguments, program.parameters};
    contender.trial.key = name;
    contender.trial.problem = program.label();
    contender.trial.config.name = name;
    HONE_CHECK(contenders.screen(contender, report));
    HONE_CHECK(contenders.verify(contender, verifier));
    if (!contender.runs()) {
      return userError("{} {}: {}", program.label(), name, contender.trial.message);
    }
    participants.push_back(contenders.participant(contender));
    return {};
  };
  HONE_CHECK(add("as it is", plain[0].report, plain[0].module, program.function));
  HONE_CHECK(add("as it is (again)", plain[0].report, plain[0].module, program.function));
  HONE_CHECK(add("with splits", split[0][0].report, split[0][0].module, split[0][0].function));
  engine::FinalOptions finalOptions;
  finalOptions.compare.seed = options.seed;
  engine::Rounds rounds(sampler.rankBy(), log, model::Stage::final);
  engine::FinalPolicy policy(participants.size(), finalOptions);
  bench.progress.stage("whole program", finalOptions.rounds);
  engine::RoundLoopOptions loop;
  loop.onRound = [&] { bench.progress.step(); };
  HONE_CHECK(engine::runRounds(rounds, participants, policy, loop));
  const auto& found = policy.result();
  bench.progress.finish();
  if (!found[2].comparison) {
    return userError("{} failed during measurement", program.label());
  }
  return *found[2].comparison;
}

void printOperations(const iree::Splittable& program,
                     const std::vector<std::optional<Winner>>& winners) {
  report::Table table({{"operation"},
                       {"output", report::Align::right},
                       {"reduction", report::Align::left, 12},
                       {"split size", report::Align::left, 12},
                       {"speedup alone", report::Align::right}});
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const model::Reduction& operation = program.operations[i];
    table.add({std::string(model::nameOf(operation.kind)), std::to_string(operation.outputSize()),
               fmt::format("{}", fmt::join(operation.sizes, "x")),
               winners[i] ? fmt::format("{}", fmt::join(winners[i]->sizes, "x")) : "not split",
               winners[i] ? fmt::format("{:.2f}x", winners[i]->gain) : ""});
  }
  fmt::print("{}", table.text(report::outputWidth()));
}

std::vector<model::AnnotatedOperation> toResult(const iree::Splittable& program,
                                                const std::vector<std::optional<Winner>>& winners) {
  std::vector<model::AnnotatedOperation> operations;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    model::AnnotatedOperation& one = operations.emplace_back();
    one.reduction = program.operations[i];
    if (winners[i]) {
      one.sizes = winners[i]->sizes;
      one.gainAlone = winners[i]->gain;
    }
  }
  return operations;
}

Result<iree::Splittable> splittable(Toolchain& toolchain, const engine::Program& program) {
  iree::CompileRequest request = requestFor(toolchain, program);
  request.function = program.function;
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  auto prepared = HONE_TRY(iree::prepareSplits(toolchain.compiler, std::span(&request, 1)));
  if (prepared.front().report.status != iree::CompileReport::Status::ok) {
    return userError("{}: compile error: {}", program.label(), prepared.front().report.message);
  }
  return std::move(prepared.front());
}

Result<int> finish(const Context& context, const AnnotateOptions& options, AnnotateContext& bench,
                   const iree::Splittable& program,
                   const std::vector<std::optional<Winner>>& winners,
                   const std::optional<stats::Comparison>& comparison) {
  const bool written = comparison && isWritten(options, *comparison);
  const bool slower = comparison && comparison->verdict == stats::Verdict::regressed;
  model::SplitAnnotation annotation;
  annotation.run = bench.run;
  annotation.output = written ? options.output : "";
  annotation.operations = toResult(program, winners);
  if (comparison) {
    annotation.verdict = comparison->verdict;
    annotation.speedup = comparison->speedup;
  }
  const nlohmann::json json = toJson(annotation);
  HONE_CHECK(bench.store.finishRun(bench.run, store::RunStatus::finished, json));
  if (context.json) {
    fmt::print("{}\n", json.dump(2));
    return slower ? 1 : 0;
  }
  printOperations(program, winners);
  if (!comparison) {
    fmt::print("\nno operation gains from a split; nothing written\n");
    return 0;
  }
  fmt::print("\nwhole program: {} {:.2f}x ({:.2f}-{:.2f}), same results\n",
             nameOf(comparison->verdict), comparison->speedup.estimate, comparison->speedup.low,
             comparison->speedup.high);
  if (!written) {
    fmt::print("nothing written: the program is not proven faster; use --force to write it\n");
    return slower ? 1 : 0;
  }
  fmt::print("next: iree-compile --compile-from=global-optimization {} …\n", options.output);
  fmt::print("      hone report {} -o report.html\n", bench.run);
  return slower ? 1 : 0;
}

Result<int> annotate(const Context& context, const AnnotateOptions& options) {
  HONE_TRY(readFile(options.model));  // fail early if the file is missing
  HONE_CHECK(checkParentFolder(options.output));
  ToolchainOptions toolchainOptions = options.toolchain;
  if (toolchainOptions.device.empty() && toolchainOptions.target == "local") {
    toolchainOptions.device = "local-task";
  }
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, toolchainOptions));
  if (!toolchain.device) {
    return userError("no {} device found to verify and measure the program; use another --target",
                     toolchain.target.name);
  }
  Progress progress(context.quiet || context.json);
  const engine::Program program = HONE_TRY(engine::loadProgram(
      toolchain.compiler, HONE_TRY(options.call.sourceFor(options.model, toolchain.target.flags))));
  const iree::Splittable prepared = HONE_TRY(splittable(toolchain, program));
  if (prepared.operations.empty()) {
    return userError("{}: no reduction found that the compiler can split", options.model);
  }
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  store::Run described = describeRun(context, toolchain, "split");
  described.seed = options.seed;
  described.key = Hasher()
                      .field("annotate")
                      .field(prepared.irHash)
                      .field(options.limits)
                      .field(options.results)
                      .field(toolchain.device->name)
                      .hex();
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  const iree::ModuleRunner runner = toolchain.runner();
  AnnotateContext bench{toolchain, runner, store, progress, run};
  const auto winners = winnersFor(prepared, HONE_TRY(shapesFor(options, bench, program)));
  iree::SplitSizes sizes;
  for (const auto& winner : winners) {
    sizes.push_back(winner ? winner->sizes : std::vector<std::int64_t>{});
  }
  if (std::none_of(winners.begin(), winners.end(),
                   [](const auto& one) { return one.has_value(); })) {
    return finish(context, options, bench, prepared, winners, std::nullopt);
  }
  const std::string text =
      HONE_TRY(readFile(HONE_TRY(iree::annotated(toolchain.compiler, prepared, sizes))));
  // Verify the written text itself, compiled from the phase in which the user continues.
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-annotate"));
  iree::Splittable annotated = prepared;
  annotated.ir = scratch.path() / "annotated.mlir";
  annotated.irHash = hashBytes(text);
  HONE_CHECK(writeFile(annotated.ir, text));
  const auto comparison = HONE_TRY(compareWith(options, bench, program, annotated, sizes));
  if (isWritten(options, comparison)) {
    HONE_CHECK(writeFile(options.output, text));
  }
  return finish(context, options, bench, prepared, winners, comparison);
}

}  // namespace

void addSplitAnnotate(CLI::App& split, Context& context) {
  auto options = std::make_shared<AnnotateOptions>();
  CLI::App* command =
      split.add_subcommand("annotate", "Set the best splits on the operations of a program");
  command->add_option("PROGRAM", options->model, "Model (.onnx) or MLIR program")->required();
  command->add_option("-o,--output", options->output, "Annotated program to write")
      ->type_name("FILE")
      ->required();
  options->call.addTo(*command);
  command
      ->add_option("--results", options->results,
                   "Results folder of an earlier sweep to take the splits from")
      ->type_name("DIR");
  command
      ->add_option("--limits", options->limits,
                   "Limits to measure without --results: a list 1,2 or a range start:end:step")
      ->capture_default_str();
  addSeedOption(*command, options->seed);
  command->add_flag("--force", options->force, "Write the program even if it is not proven faster");
  options->toolchain.addTo(*command);
  command->footer(
      "The output is the program after global optimization, with attributes that set the splits. "
      "Compile it with --compile-from=global-optimization. It is written only if its results are "
      "equal and the whole program is proven faster.\n"
      "Examples:\n"
      "  hone split annotate model.mlir -o faster.mlir\n"
      "  hone split annotate model.mlir -o faster.mlir --results convolutions_results\n"
      "Exit code 1: the program is slower with the splits.");
  command->callback([&context, options] {
    context.action = [&context, options] { return annotate(context, *options); };
  });
}

}  // namespace hone::app
