#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/common/cluster_run.h"
#include "app/common/toolchain.h"
#include "model/result/summary/profile_result.h"
#include "profile/dispatch_filter.h"
#include "profile/profiler.h"

namespace hone::app {

/// What came of a run: the rows, and what the machine that measured allows, for each type.
struct ProfiledRows {
  std::vector<model::ProfileRow> rows;
  std::vector<model::MeasuredRoofline> rooflines;
};

[[nodiscard]] std::vector<model::MeasuredRoofline> resultOf(const profile::Rooflines& rooflines);

/// One operation that was built, profiled here: its rows, the quickest first.
[[nodiscard]] Result<std::vector<model::ProfileRow>> profileOne(
    profile::Built& built, const profile::DispatchFilter& filter, const Toolchain& toolchain,
    profile::Rooflines& rooflines, profile::Profiler& profiler, bool measure);

/// The same for all operations by the workers of a cluster, an operation a unit. `onRow` is called
/// in the order of the operations.
[[nodiscard]] Result<ProfiledRows> profileOnCluster(
    ClusterRun& cluster, std::span<const profile::Generated> operations,
    const std::string& dispatches, const profile::ProfileOptions& options, Progress& progress,
    const std::function<void(const model::ProfileRow&)>& onRow);

inline constexpr const char* kProfileUnit = "profile";
[[nodiscard]] Result<nlohmann::json> performProfile(const cluster::Unit& unit, Toolchain& toolchain,
                                                    Progress& progress);

}  // namespace hone::app
