#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "app/common/toolchain.h"
#include "base/error.h"
#include "cluster/settings/options.h"
#include "cluster/slurm_executor.h"
#include "engine/executor/executor.h"

namespace hone::app {

/// Returns the toolchain options for a command. With a cluster, nothing runs on this machine, and
/// compiled modules go to the shared folder.
[[nodiscard]] ToolchainOptions commandToolchain(ToolchainOptions options,
                                                const cluster::Options& cluster);
/// Serializes the toolchain for workers; workerToolchain() restores its options there.
[[nodiscard]] nlohmann::json toolchainSetup(const Toolchain& toolchain,
                                            const ToolchainOptions& options);
[[nodiscard]] ToolchainOptions workerToolchain(const nlohmann::json& setup);

/// Opens the executor that `options` selects; cluster workers receive `setup`. `options` and `run`
/// must outlive the executor.
[[nodiscard]] Result<std::unique_ptr<engine::Executor>> openExecutor(
    const cluster::Options& options, nlohmann::json setup, const cluster::ExecutorRun& run);

}  // namespace hone::app
