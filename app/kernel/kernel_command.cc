#include "app/kernel/kernel_command.h"

#include <algorithm>

#include "base/hash.h"
#include "kernel/turns/kernel_files.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

kernel::OptimizeOptions loopOptions(const KernelCommand& command) {
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

/// The best as an example for kernels to come; a library that cannot be written is no error.
void remember(KernelCommand& command, const kernel::Optimized& optimized) {
  if (command.examples && optimized.improved()) {
    if (const auto added = command.examples->add(kernel::exampleOf(optimized)); !added) {
      command.progress.say(fmt::format("not remembered as an example: {}", added.error().message));
    }
  }
}

}  // namespace

std::string optionsKey(const OptimizeVerbOptions& options) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", options.targetSpeedup,
                     options.targetGiven, options.maxIterations, options.minImprovement,
                     options.ragK, options.candidates, options.budget, options.rounds,
                     options.bench.threads, options.bench.seed, options.bench.device,
                     options.threshold, options.proposer.key());
}

kernel::OutputOptions outputOptions(const OptimizeVerbOptions& options, const fs::path& file,
                                    const fs::path& reference, const std::string& name,
                                    const std::string& machine) {
  std::string label =
      name.empty() ? file.stem().string() : fs::path(name).replace_extension().string();
  std::replace(label.begin(), label.end(), '/', '_');
  return {file, reference, options.logs, std::move(label), machine, HONE_VERSION};
}

Result<KernelOutcome> optimizeOne(KernelCommand& command, store::Store& store, std::int64_t run,
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
  KernelOutcome outcome{HONE_TRY(optimizer.optimize(source)), {}};
  if (!options.noSave) {
    outcome.files = HONE_TRY(kernel::writeOutputs(
        outcome.optimized,
        outputOptions(options, file, reference, name, command.bench.machineName())));
    remember(command, outcome.optimized);
  }
  command.progress.finish();
  return outcome;
}

Result<std::unique_ptr<KernelCommand>> startKernelCommand(const Context& context,
                                                          const OptimizeVerbOptions& options,
                                                          bool withExamples) {
  engine::Budget budget;
  if (!options.budget.empty()) {
    budget = HONE_TRY(engine::budgetFrom(options.budget));
  }
  // First of all: from here on no child sees the key.
  auto proposers =
      HONE_TRY(ProposerMaker::make(options.proposer, options.bench.seed, options.bench.threads));
  if (!options.allSlow) {
    HONE_CHECK(kernel::findKernel(options.kernel, options.bench.kernels));
  }
  KernelBench bench = HONE_TRY(KernelBench::make(options.bench));
  std::unique_ptr<KernelCommand> command(
      new KernelCommand{context, options, std::move(bench), std::move(proposers), budget,
                        std::nullopt, std::nullopt, Progress(context.quiet || context.json)});
  if (!withExamples) {
    return command;
  }
  auto examples = openExamples();
  if (examples) {
    command->examples.emplace(*std::move(examples));
  } else {
    command->progress.say(fmt::format("without examples: {}", examples.error().message));
  }
  if (options.embeddings) {
    command->embeddings = embeddingsOf(command->bench.judge);
  }
  return command;
}

}  // namespace hone::app
