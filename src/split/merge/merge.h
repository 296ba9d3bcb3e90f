#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "split/fit/analysis.h"
#include "split/fit/simulate.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// The sweep of one device or machine.
struct DeviceSweep {
  std::string device;
  SweepResult sweep;
};

/// Sweeps of several devices, reduced to the shapes and limits that all of them measured. Each
/// device has the same number of shapes and therefore the same weight in a fit.
struct MergedSweep {
  std::vector<DeviceSweep> devices;
  std::int64_t omittedShapes = 0;           ///< shapes that not every device measured
  std::vector<std::int64_t> omittedLimits;  ///< limits that not every device swept

  /// Returns the shapes of all devices, labelled with their device: "gemm -m 64 … [a_results]".
  [[nodiscard]] SweepResult combined() const;
};

/// Merges the sweeps. Shapes are equal if their arguments are. Fails with a user error if no limit
/// or no shape was measured by all devices.
[[nodiscard]] Result<MergedSweep> mergeSweeps(std::vector<DeviceSweep> sweeps);

/// Regret on the shapes of one kind on one device. Shapes without a measured time for a decision
/// are counted as unknown.
struct DeviceRegret {
  std::string device;
  model::ReductionKind kind = model::ReductionKind::matmul;
  Regret merged;    ///< of the recommended ladder for all devices
  Regret own;       ///< of the ladder recommended for this device alone
  Regret baseline;  ///< of the compiler's default
};

/// Analysis of several devices together.
struct MergedAnalysis {
  MergedSweep merged;
  Analysis all;                        ///< of the combined shapes
  std::vector<LimitRanking> rankings;  ///< one per device
  std::vector<DeviceRegret> regrets;   ///< by kind, then by device
};

[[nodiscard]] MergedAnalysis analyzeMerged(MergedSweep merged);

}  // namespace hone::split
