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
#include "kernel/turns/output/outputs.h"
#include "store/store.h"

namespace hone::app {

/// Options of `hone kernel optimize`.
struct OptimizeCommandOptions {
  std::string kernel;
  std::string reference;
  std::string language;  ///< of a kernel that is written from its reference; "": see languageForNew
  bool allSlow = false;
  std::optional<double> threshold;
  double targetSpeedup = 1.5;
  bool targetGiven = false;
  std::size_t maxIterations = 5;
  double minImprovement = 0.05;
  std::size_t ragK = 3;
  std::size_t candidates = 4;
  std::size_t repairs = 2;
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

/// State shared by all kernels of a command.
struct KernelCommand {
  const Context& context;
  const OptimizeCommandOptions& options;
  KernelBench bench;
  ProposerMaker proposers;
  engine::Budget budget;
  std::optional<kernel::Examples> examples;
  std::optional<kernel::Embeddings> embeddings;
  Progress& progress;
  double spent = 0;  ///< dollars of --max-cost used so far
};

/// Returns the key of all options that affect the result.
[[nodiscard]] std::string optionsKey(const OptimizeCommandOptions& options);

/// Checks the options, and prepares the command. The kernel file may be missing. `options` and
/// `progress` must outlive it. Cluster workers pass withExamples = false: only the user's machine
/// opens the examples database.
[[nodiscard]] Result<std::unique_ptr<KernelCommand>> startKernelCommand(
    const Context& context, const OptimizeCommandOptions& options, Progress& progress,
    bool withExamples = true);

/// Optimizes one kernel; `name` identifies it within the run.
[[nodiscard]] Result<kernel::Optimized> optimizeOne(KernelCommand& command, store::Store& store,
                                                    std::int64_t run,
                                                    const std::filesystem::path& file,
                                                    const std::string& name);

/// Returns the names and the header fields of a kernel's output files.
[[nodiscard]] kernel::OutputOptions outputOptions(const std::filesystem::path& file,
                                                  const std::filesystem::path& reference,
                                                  const std::string& name,
                                                  const std::string& machine);

}  // namespace hone::app
