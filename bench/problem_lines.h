#pragma once

#include <string>
#include <vector>

namespace hone::bench {

/// Returns workload lines of 20 matmuls from DeepBench of up to 2 GFLOP, and 10 forward
/// convolutions of a training workload, in f32. Returns a few of each if `quick`.
[[nodiscard]] std::vector<std::string> problemLines(bool quick);

}  // namespace hone::bench
