#pragma once

#include <string>
#include <vector>

namespace hone::bench {

/// 20 matmuls of DeepBench's list up to 2 GFLOP and 10 forward convolutions of a training workload,
/// in f32, as lines of a workload; a few of each where it must be quick.
[[nodiscard]] std::vector<std::string> problemLines(bool quick);

}  // namespace hone::bench
