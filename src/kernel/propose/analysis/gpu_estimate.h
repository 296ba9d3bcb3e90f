#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// Static evidence about one kernel of a GPU program, compiled for one architecture. Work is that
/// of one launch.
struct GpuProgram {
  std::string arch;
  bool failed = false;  ///< does not compile for the architecture
  double threads = 0;   ///< per block
  double blocks = 0;
  double sharedMemory = 0;            ///< bytes per block
  std::optional<double> registers;    ///< per thread; nothing without nvcc
  double spills = 0;                  ///< bytes per thread
  std::optional<double> globalBytes;  ///< in sectors of 32 bytes; nothing if it cannot be counted
  double globalRequests = 0;          ///< of warps
  double sharedBytes = 0;
  double tensorFlops = 0;
  double flops = 0;
  double barriers = 0;  ///< of threads
  double stages = 1;    ///< of the pipeline
};

/// Returns the kernels that a worker reported in its facts.
[[nodiscard]] std::vector<GpuProgram> gpuPrograms(const nlohmann::json& facts);

/// Estimated cost of all kernels of a source on one architecture.
struct GpuEstimate {
  std::string arch;
  double cycles = 0;     ///< of the busiest multiprocessor; only good for ranking
  double occupancy = 1;  ///< the lowest share of resident warps, 0 to 1
  std::string problem;   ///< reason why it cannot run there; "" if it can
};

/// Estimates the cost per architecture, from the public rates of A100 (sm_80) and H100 (sm_90).
/// Returns nothing if the work could not be counted. An estimate is not a measurement: it ranks
/// candidates that cannot be timed.
[[nodiscard]] std::vector<GpuEstimate> estimateGpu(const nlohmann::json& facts);

/// Returns the estimated cost relative to that of the original: the geometric mean over the
/// architectures. Returns nothing if one of them is unknown, or if the candidate cannot run on an
/// architecture on which the original can.
[[nodiscard]] std::optional<double> relativeGpuCost(const nlohmann::json& candidate,
                                                    const nlohmann::json& original);

/// Returns "sm_80: 96 registers, 0 bytes spilled, 32768 bytes of shared memory, 25 % occupancy" per
/// architecture.
[[nodiscard]] std::vector<std::string> describeGpu(const nlohmann::json& facts);

}  // namespace hone::kernel
