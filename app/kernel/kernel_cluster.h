#pragma once

#include <nlohmann/json.hpp>

#include "app/common/context.h"
#include "app/kernel/kernel_command.h"
#include "base/error.h"
#include "base/progress.h"
#include "cluster/options.h"
#include "cluster/unit.h"

namespace hone::app {

/// `hone kernel optimize` by the workers of a cluster: a kernel is a unit, with --all-slow all
/// kernels of the folder at the same time; each is listed first, and worked on where it is slow.
[[nodiscard]] Result<int> optimizeOnCluster(const Context& context,
                                            const OptimizeVerbOptions& options,
                                            const cluster::Options& cluster);

inline constexpr const char* kKernelUnit = "kernel";
[[nodiscard]] Result<nlohmann::json> performKernel(const cluster::Unit& unit, Progress& progress);

}  // namespace hone::app
