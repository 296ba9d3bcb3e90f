#pragma once

#include <vector>

#include "kernel/propose/analysis/analysis.h"

namespace hone::kernel {

/// Returns the bottlenecks visible in the source of a C++ kernel: strided access, untiled products,
/// repeated exponentials, divisions in inner loops, temporaries, single accumulators. Returns
/// nothing for a kernel outside the supported subset.
[[nodiscard]] std::vector<Finding> cppFindings(const Task& task, const Source& source);

}  // namespace hone::kernel
