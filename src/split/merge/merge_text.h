#pragma once

#include <string>

#include "split/merge/merge.h"

namespace hone::split {

/// Returns "1.3 %", the regret as a geometric mean; "N.A." without a measured shape.
[[nodiscard]] std::string regretPercent(const Regret& regret);

/// Returns comprehensive_analysis.txt of several devices: the devices with their regret, then the
/// six parts. Part 1 is per device, because times of different devices are not comparable.
[[nodiscard]] std::string mergedText(const MergedAnalysis& analysis);

}  // namespace hone::split
