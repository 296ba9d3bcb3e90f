#pragma once

#include <vector>

#include "kernel/propose/analysis/analysis.h"

namespace hone::kernel {

/// Returns what the text of a C++ kernel shows: order of access, products without tiles,
/// exponentials taken twice, divisions in inner loops, temporaries, lone accumulators. Nothing for
/// a kernel outside the subset that can be read.
[[nodiscard]] std::vector<Finding> cppFindings(const Task& task, const Source& source);

}  // namespace hone::kernel
