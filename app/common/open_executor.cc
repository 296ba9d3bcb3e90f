#include "app/common/open_executor.h"

#include <cstdlib>

#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "engine/executor/local_executor.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

/// Returns the artifact folder. `local` code runs only on the CPU model it was compiled for.
fs::path artifactsIn(const fs::path& shared, const std::string& target) {
  const fs::path all = shared / "artifacts";
  return target == "local" ? all / hashBytes(cpuName()).substr(0, 16) : all / "any";
}

}  // namespace

ToolchainOptions commandToolchain(ToolchainOptions options, const cluster::Options& cluster) {
  if (cluster.usesCluster()) {
    options.runsElsewhere = true;
    options.artifacts = artifactsIn(cluster.sharedFolder(), options.target);
  }
  return options;
}

cluster::WorkerToolchain toolchainSetup(const Toolchain& toolchain,
                                        const ToolchainOptions& options) {
  return {.iree = toolchain.installation.site,
          .target = options.target,
          .device = toolchain.device->name,
          .compileSeconds = options.compileSeconds,
          .runSeconds = options.runSeconds};
}

ToolchainOptions workerToolchain(const cluster::WorkerSetup& setup) {
  const cluster::WorkerToolchain& toolchain = *setup.toolchain;
  ToolchainOptions options;
  options.target = toolchain.target;
  options.device = toolchain.device;
  options.compileSeconds = toolchain.compileSeconds;
  options.runSeconds = toolchain.runSeconds;
  options.artifacts = artifactsIn(setup.shared, options.target);
  // Slurm may give a job fewer CPUs than the system reports.
  const char* cpus = std::getenv("SLURM_CPUS_ON_NODE");
  options.compilers = static_cast<std::size_t>(parseInt(cpus == nullptr ? "" : cpus).value_or(0));
  return options;
}

Result<std::unique_ptr<engine::Executor>> openExecutor(const cluster::Options& options,
                                                       cluster::WorkerSetup setup,
                                                       const cluster::ExecutorRun& run) {
  if (!options.usesCluster()) {
    return std::make_unique<engine::LocalExecutor>(run.store, run.run, run.progress);
  }
  setup.version = HONE_VERSION;
  return HONE_TRY(cluster::SlurmExecutor::open(options, std::move(setup), run));
}

}  // namespace hone::app
