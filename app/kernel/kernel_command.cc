#include "app/kernel/kernel_command.h"

#include <algorithm>

#include "base/hash.h"
#include "kernel/turns/output/kernel_files.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

kernel::OptimizeOptions loopOptions(const KernelCommand& command) {
  const OptimizeCommandOptions& options = command.options;
  kernel::OptimizeOptions loop;
  loop.targetSpeedup = options.targetSpeedup;
  loop.targetOverOriginal = options.targetGiven;
  loop.maxTurns = options.maxIterations;
  loop.minImprovement = options.minImprovement;
  loop.candidates = options.candidates;
  loop.examples = options.ragK;
  loop.repairs = options.repairs;
  loop.budget = command.budget;
  loop.rounds = options.rounds;
  loop.machine = command.bench.machine;
  return loop;
}

}  // namespace

std::string optionsKey(const OptimizeCommandOptions& options) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", options.targetSpeedup,
                     options.targetGiven, options.maxIterations, options.minImprovement,
                     options.ragK, options.candidates, options.repairs, options.budget,
                     options.rounds, options.bench.threads, options.bench.seed,
                     options.bench.device, options.threshold.value_or(0), options.proposer.key());
}

kernel::OutputOptions outputOptions(const fs::path& file, const fs::path& reference,
                                    const std::string& name, const std::string& machine) {
  std::string label =
      name.empty() ? file.stem().string() : fs::path(name).replace_extension().string();
  std::replace(label.begin(), label.end(), '/', '_');
  return {file, reference, std::move(label), machine, HONE_VERSION};
}

Result<kernel::Optimized> optimizeOne(KernelCommand& command, store::Store& store, std::int64_t run,
                                      const fs::path& file, const std::string& name) {
  const kernel::JudgeOptions& judging = command.bench.judge;
  const kernel::Source source = HONE_TRY(kernel::readKernel(file));
  const fs::path reference = HONE_TRY(kernel::findReference(file, command.options.reference));
  auto task = HONE_TRY(kernel::readTask(reference, judging));
  auto judge = HONE_TRY(kernel::Judge::open(std::move(task), judging));
  kernel::RealKernelJudge kernelJudge(judge);
  const auto proposer = HONE_TRY(command.proposers.proposer(command.spent));
  const kernel::OptimizerContext context{
      kernelJudge, *proposer, command.examples ? &*command.examples : nullptr, command.progress,
      command.embeddings ? &*command.embeddings : nullptr};
  kernel::Optimizer optimizer(context, {store, run, name, command.bench.rankBy, judging.seed},
                              loopOptions(command));
  kernel::Optimized optimized = HONE_TRY(optimizer.optimize(source));
  command.spent += optimized.cost;
  command.progress.finish();
  return optimized;
}

Result<std::unique_ptr<KernelCommand>> startKernelCommand(const Context& context,
                                                          const OptimizeCommandOptions& options,
                                                          Progress& progress, bool withExamples) {
  engine::Budget budget;
  if (!options.budget.empty()) {
    budget = HONE_TRY(engine::budgetFrom(options.budget));
  }
  // Must come first: it hides the API key from all child processes.
  auto proposers =
      HONE_TRY(ProposerMaker::make(options.proposer, options.bench.seed, options.bench.threads));
  KernelBench bench = HONE_TRY(KernelBench::make(options.bench));
  auto command =
      std::make_unique<KernelCommand>(context, options, std::move(bench), std::move(proposers),
                                      budget, std::nullopt, std::nullopt, progress);
  if (!withExamples) {
    return command;
  }
  auto examples = openExamples();
  if (examples) {
    command->examples.emplace(*std::move(examples));
  } else {
    command->progress.say(fmt::format("examples unavailable: {}", examples.error().message));
  }
  if (options.embeddings) {
    command->embeddings = makeEmbeddings(command->bench.judge);
  }
  return command;
}

}  // namespace hone::app
