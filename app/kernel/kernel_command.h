#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/common/cluster_options.h"
#include "app/common/context.h"
#include "app/kernel/kernel_bench.h"
#include "app/kernel/kernel_model.h"
#include "base/progress.h"
#include "kernel/turns/optimizer.h"
#include "kernel/turns/outputs.h"
#include "store/store.h"

namespace hone::app {

/// The options of `hone kernel optimize`.
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
  ClusterOptions cluster;
};

/// What all kernels of a command share.
struct KernelCommand {
  const Context& context;
  const OptimizeVerbOptions& options;
  KernelBench bench;
  ProposerMaker proposers;
  engine::Budget budget;
  std::optional<kernel::Examples> examples;
  std::optional<kernel::Embeddings> embeddings;
  Progress& progress;
  double spent = 0;  ///< dollars of the cap that kernels of the command have used
};

/// What decides how the work is done, besides the kernel.
[[nodiscard]] std::string optionsKey(const OptimizeVerbOptions& options);

/// A command that is ready to work; the options and the progress must outlive it. The user's
/// examples are in a database, which only the machine that the user works on opens.
[[nodiscard]] Result<std::unique_ptr<KernelCommand>> startKernelCommand(
    const Context& context, const OptimizeVerbOptions& options, Progress& progress,
    bool withExamples = true);

/// Optimizes one kernel under the run; `name` distinguishes it from the others of the run.
[[nodiscard]] Result<kernel::Optimized> optimizeOne(KernelCommand& command, store::Store& store,
                                                    std::int64_t run,
                                                    const std::filesystem::path& file,
                                                    const std::string& name);

/// Returns how the files of a kernel of a run are named.
[[nodiscard]] kernel::OutputOptions outputOptions(const std::filesystem::path& file,
                                                  const std::filesystem::path& reference,
                                                  const std::string& name,
                                                  const std::string& machine);

}  // namespace hone::app
