#include "knobs/gpu/gpu_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knobs/gpu/pipeline_space.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

// Typical of data-centre GPUs; only the ratios matter.
constexpr double kUnits = 128;                     ///< workgroups that run concurrently
constexpr double kMatrixMultipliesPerCycle = 512;  ///< of the matrix unit, with 16-bit elements
constexpr double kBytesPerCycle = 64;              ///< per workgroup
constexpr double kGpuWorkgroupCycles = 2000;
constexpr double kResultsPerThread = 128;  ///< accumulators that fit into registers
constexpr double kSpillSlowdown = 4;
constexpr std::int64_t kMinThreads = 128;
constexpr double kLowOccupancySlowdown = 1.3;  ///< small workgroups do not hide memory latency

/// Returns the product of the point's values at `at`. A value of -1 means that the pipeline does
/// not have the knob.
std::int64_t productAtKnobs(std::span<const std::int64_t> point,
                            const std::vector<std::size_t>& at) {
  std::int64_t product = 1;
  for (const std::size_t place : at) {
    product *= std::max<std::int64_t>(point[place], 1);
  }
  return product;
}

}  // namespace

GpuCost::GpuCost(const model::RootOperation& root,
                 std::span<const iree::PipelineConstraints> constraints, const search::Space& space)
    : root_(root) {
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    tiles_.push_back(knobsAt(space, constraints, fmt::format("workgroup[{}]", loop)));
  }
  for (int dimension = 0; dimension < 3; ++dimension) {
    const auto some = knobsAt(space, constraints, fmt::format("workgroup_size[{}]", dimension));
    threads_.insert(threads_.end(), some.begin(), some.end());
  }
}

double GpuCost::operator()(std::span<const std::int64_t> point) {
  std::vector<std::int64_t> tile;
  for (std::size_t i = 0; i < root_.loops.size(); ++i) {
    const std::int64_t size = root_.loops[i].size;
    tile.push_back(root_.loops[i].reduction ? size
                                            : std::min(size, productAtKnobs(point, tiles_[i])));
  }
  std::vector<std::int64_t> key = tile;
  key.push_back(productAtKnobs(point, threads_));
  const auto [known, isNew] = known_.try_emplace(std::move(key));
  if (isNew) {
    known->second = estimate(tile, known->first.back());
  }
  return known->second;
}

double GpuCost::estimate(const std::vector<std::int64_t>& tile, std::int64_t threads) const {
  double workgroups = 1;
  double multiplies = 1;
  double results = 1;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    workgroups *= static_cast<double>(ceilDiv(root_.loops[i].size, tile[i]));
    multiplies *= static_cast<double>(tile[i]);
    results *= root_.loops[i].reduction ? 1 : static_cast<double>(tile[i]);
  }
  double bytes = 0;
  for (const auto* operands : {&root_.inputs, &root_.outputs}) {
    for (const model::RootOperand& operand : *operands) {
      bytes += footprintBytes(operand, tile);
    }
  }
  const double rounds = std::ceil(workgroups / kUnits);
  const bool spills = results / static_cast<double>(threads) > kResultsPerThread;
  const double cycles = std::max(multiplies / kMatrixMultipliesPerCycle, bytes / kBytesPerCycle) *
                        (spills ? kSpillSlowdown : 1) *
                        (threads < kMinThreads ? kLowOccupancySlowdown : 1);
  return rounds * (cycles + kGpuWorkgroupCycles);
}

}  // namespace hone::knobs
