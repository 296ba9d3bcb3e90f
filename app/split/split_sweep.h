#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/common/cluster_options.h"
#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "app/split/split_devices.h"
#include "app/split/split_workload.h"
#include "base/error.h"
#include "engine/budget.h"

namespace hone::app {

/// Options of all `hone split` subcommands that measure.
struct SplitOptions {
  SplitWorkload workload;
  std::string limits;   ///< "": the default of the subcommand
  std::string results;  ///< folder; "": see split::findResultsFolder
  std::string budget;
  bool forceRerun = false;
  std::string method = "attribute";
  std::string ireeSource;  ///< IREE checkout to build compilers from
  std::string ireeBuild;
  std::string buildCommand;
  std::uint64_t seed = 1;
  ToolchainOptions toolchain;
  ClusterOptions cluster;
  std::size_t groups = 1;                 ///< groups of devices that divide the budget
  std::vector<std::string> devices = {};  ///< all devices of this group; set by forGroup()

  [[nodiscard]] std::string stem() const;
  /// Parses --budget, divided by the groups; unlimited if not given.
  [[nodiscard]] Result<engine::Budget> parsedBudget() const;
  [[nodiscard]] std::filesystem::path folder() const;
  /// Returns the options for one of several groups of devices, with its own results folder.
  [[nodiscard]] SplitOptions forGroup(const DeviceGroup& group, std::size_t groupCount) const;
};

/// Sweeps the limits, analyzes, recommends and validates: `quick` and `full`. Devices of one driver
/// share the shapes; each driver has its own run and results.
[[nodiscard]] Result<int> splitSweep(const Context& context, const SplitOptions& options);
/// Validates the recommendation of an earlier analysis.
[[nodiscard]] Result<int> splitTestOptimized(const Context& context, const SplitOptions& options);
/// Analyzes existing results without measuring.
[[nodiscard]] Result<int> splitAnalyze(const Context& context, const std::string& folder);

}  // namespace hone::app
