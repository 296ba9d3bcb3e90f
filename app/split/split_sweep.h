#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/common/cluster_options.h"
#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "app/split/split_workload.h"
#include "base/error.h"
#include "engine/budget.h"

namespace hone::app {

/// What the modes of `hone split` that measure share.
struct SplitOptions {
  SplitWorkload workload;
  std::string limits;   ///< "" for those of the mode
  std::string results;  ///< the folder; "" for <stem>_results
  std::string budget;
  bool forceRerun = false;
  std::string method = "attribute";
  std::string ireeSource;  ///< of the method rebuild: a checkout of IREE
  std::string ireeBuild;
  std::string buildCommand;
  std::uint64_t seed = 1;
  ToolchainOptions toolchain;
  ClusterOptions cluster;

  [[nodiscard]] std::string stem() const;
  /// Parses --budget; no bound if it was not given.
  [[nodiscard]] Result<engine::Budget> parsedBudget() const;
  [[nodiscard]] std::filesystem::path folder() const;
};

/// Sweeps the limits, analyses, recommends and validates: the modes quick and full.
[[nodiscard]] Result<int> splitSweep(const Context& context, const SplitOptions& options);
/// Validates the recommendation of an earlier analysis.
[[nodiscard]] Result<int> splitTestOptimized(const Context& context, const SplitOptions& options);
/// From results that exist; measures nothing.
[[nodiscard]] Result<int> splitAnalyze(const Context& context, const std::string& folder);

}  // namespace hone::app
