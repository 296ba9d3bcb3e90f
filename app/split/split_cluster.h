#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "app/common/cluster_run.h"
#include "app/common/toolchain.h"
#include "split/sweep/sweeper.h"
#include "split/sweep/validator.h"

namespace hone::app {

/// As Sweeper::sweep, by the workers of a cluster: a problem with all its limits is a unit.
[[nodiscard]] Result<std::vector<split::ShapeRecord>> sweepOnCluster(
    ClusterRun& cluster, const split::Sweeper& sweeper, const split::SweepOptions& options,
    std::span<const split::SweepProblem> problems, Progress& progress);
/// As Validator::validate, a problem a unit.
[[nodiscard]] Result<std::vector<split::ValidationRecord>> validateOnCluster(
    ClusterRun& cluster, std::span<const split::ValidationOrder> orders,
    const std::vector<std::string>& flags, std::uint64_t seed, Progress& progress);

inline constexpr const char* kSweepUnit = "split-sweep";
inline constexpr const char* kValidateUnit = "split-validate";
/// What a worker does for such units.
[[nodiscard]] Result<nlohmann::json> performSweep(const cluster::Unit& unit, Toolchain& toolchain,
                                                  Progress& progress);
[[nodiscard]] Result<nlohmann::json> performValidation(const cluster::Unit& unit,
                                                       Toolchain& toolchain, Progress& progress);

}  // namespace hone::app
