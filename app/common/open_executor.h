#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "app/common/toolchain.h"
#include "base/error.h"
#include "cluster/settings/options.h"
#include "cluster/slurm_executor.h"
#include "engine/executor/executor.h"

namespace hone::app {

/// Returns the toolchain's options for a command: with a cluster nothing runs on this machine, and
/// compiled modules are shared.
[[nodiscard]] ToolchainOptions commandToolchain(ToolchainOptions options,
                                                const cluster::Options& cluster);
/// Describes the toolchain for workers, and returns its options there.
[[nodiscard]] nlohmann::json toolchainSetup(const Toolchain& toolchain,
                                            const ToolchainOptions& options);
[[nodiscard]] ToolchainOptions workerToolchain(const nlohmann::json& setup);

/// Opens the executor that the options ask for; workers of a cluster get the setup. Everything must
/// outlive the executor.
[[nodiscard]] Result<std::unique_ptr<engine::Executor>> openExecutor(
    const cluster::Options& options, nlohmann::json setup, const cluster::ExecutorRun& run);

}  // namespace hone::app
