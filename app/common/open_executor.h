#pragma once

#include <memory>

#include "app/common/toolchain.h"
#include "base/error.h"
#include "cluster/settings/options.h"
#include "cluster/slurm_executor.h"
#include "cluster/spool/worker_setup.h"
#include "engine/executor/executor.h"

namespace hone::app {

/// Returns the toolchain options for a command. With a cluster, nothing runs on this machine, and
/// compiled modules go to the shared folder.
[[nodiscard]] ToolchainOptions commandToolchain(ToolchainOptions options,
                                                const cluster::Options& cluster);
/// Describes the toolchain for workers; workerToolchain() restores its options there.
[[nodiscard]] cluster::WorkerToolchain toolchainSetup(const Toolchain& toolchain,
                                                      const ToolchainOptions& options);
/// The setup must have a toolchain.
[[nodiscard]] ToolchainOptions workerToolchain(const cluster::WorkerSetup& setup);

/// Opens the executor that `options` selects; cluster workers receive `setup`. `options` and `run`
/// must outlive the executor.
[[nodiscard]] Result<std::unique_ptr<engine::Executor>> openExecutor(
    const cluster::Options& options, cluster::WorkerSetup setup, const cluster::ExecutorRun& run);

}  // namespace hone::app
