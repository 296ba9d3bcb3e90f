#include "knobs/cpu/cpu_cost.h"

#include <algorithm>
#include <cmath>

#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

// Measured on a server CPU with 512-bit vectors; only their ratios matter.
constexpr double kMultipliesPerCycle = 2;
constexpr double kLatency = 8;  ///< accumulators needed to hide the latency
constexpr double kLoadsPerCycle = 2;
constexpr double kL2BytesPerCycle = 24;
constexpr double kMemoryBytesPerCycle = 6;
constexpr double kLoopOverhead = 20;     ///< cycles per loop entry
constexpr double kMaskedSlowdown = 4;    ///< slowdown of partial tiles without peeling
constexpr double kPeeledSlowdown = 1.1;  ///< slowdown of partial tiles with peeling
constexpr double kOddVectorSlowdown = 3;
constexpr double kLaneSumCycles = 6;  ///< cycles to sum the lanes of a vector

std::int64_t tileOrWhole(std::int64_t tile, std::int64_t whole) { return tile > 0 ? tile : whole; }

}  // namespace

/// Tile sizes of each level, with the full size for untiled loops.
struct ProductCost::Tiles {
  Sizes vector;  ///< held in registers
  Sizes block;   ///< should stay in a cache
  double workgroups = 1;
  bool ragged = false;  ///< some tiles are partial
  bool peel = false;
};

ProductCost::ProductCost(const model::RootOperation& root, const CpuLimits& limits)
    : loops_(root.loops),
      operands_{root.inputs.at(0), root.inputs.at(1), root.outputs.at(0)},
      limits_(limits),
      along_(innermostLoop(root.outputs[0]).value_or(0)),
      lanes_(std::max<std::int64_t>(1, limits.vectorBytes / elementBytes(root.outputs[0].element))),
      windowed_(root.kind == model::RootKind::convolution) {}

double ProductCost::operator()(const CpuConfig& config) const {
  Tiles tiles;
  tiles.peel = config.peel;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const std::int64_t size = loops_[i].size;
    const std::int64_t share = std::min(size, tileOrWhole(config.distribution[i], size));
    const std::int64_t cache =
        loops_[i].reduction ? config.cacheReduction[i] : config.cacheParallel[i];
    const std::int64_t vector =
        loops_[i].reduction ? config.vectorReduction[i] : config.vectorParallel[i];
    tiles.block.push_back(std::min(share, tileOrWhole(cache, share)));
    tiles.vector.push_back(std::min(tiles.block.back(), tileOrWhole(vector, tiles.block.back())));
    tiles.workgroups *= static_cast<double>(ceilDiv(size, share));
    tiles.ragged = tiles.ragged || size % share != 0 || share % tiles.block.back() != 0 ||
                   tiles.block.back() % tiles.vector.back() != 0;
  }
  const double busy = std::min(tiles.workgroups, static_cast<double>(limits_.cores));
  return (arithmetic(tiles) + traffic(tiles)) / busy + tiles.workgroups * kWorkgroupCycles / busy;
}

double ProductCost::arithmetic(const Tiles& tiles) const {
  double steps = 1;
  double results = 1;  // result tiles loaded and stored
  double rows = 1;     // rows of accumulators
  double sums = 1;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    steps *= static_cast<double>(ceilDiv(loops_[i].size, tiles.vector[i]));
    results *= static_cast<double>(
        ceilDiv(loops_[i].size, loops_[i].reduction ? tiles.block[i] : tiles.vector[i]));
    if (loops_[i].reduction) {
      sums *= static_cast<double>(tiles.vector[i]);
    } else if (i != along_) {
      rows *= static_cast<double>(tiles.vector[i]);
    }
  }
  if (2 * tiles.vector[along_] <= lanes_) {
    // Too few results to fill the lanes: they hold partial sums instead, which each step adds up.
    const auto lanes = static_cast<double>(lanes_);
    const double each = std::ceil(sums / lanes) + kLaneSumCycles;
    return steps * (rows * static_cast<double>(tiles.vector[along_]) * each + kLoopOverhead) *
           (tiles.ragged && !tiles.peel ? kMaskedSlowdown : 1);
  }
  const auto vectors = static_cast<double>(ceilDiv(tiles.vector[along_], lanes_));
  const double accumulators = rows * vectors;
  double cycles = accumulators * sums / kMultipliesPerCycle;
  cycles *= std::max(1.0, kLatency / accumulators);
  double loads = vectors * sums + rows * sums;
  for (const model::RootOperand& input : {operands_[0], operands_[1]}) {
    // A vector that is not contiguous in memory is assembled from single elements.
    if (indexes(input, along_) && innermostLoop(input) != along_) {
      loads += static_cast<double>(tiles.vector[along_]) * sums;
    }
  }
  // With several sums per step, the other input is loaded as a vector and broadcast from it.
  const double spreads = sums > 1 ? rows * sums / 2 : 0;
  const double spilled =
      std::max(0.0, accumulators + vectors + 1 - static_cast<double>(limits_.registers));
  cycles = std::max(cycles, loads / kLoadsPerCycle) + spreads + 4 * spilled + 2;
  cycles = steps * cycles + results * (2 * accumulators + kLoopOverhead);
  // In convolutions, vectors whose length is not a power of two are reassembled.
  const bool odd = windowed_ && (tiles.vector[along_] & (tiles.vector[along_] - 1)) != 0;
  return cycles * (odd ? kOddVectorSlowdown : 1) *
         (!tiles.ragged ? 1
          : tiles.peel  ? kPeeledSlowdown
                        : kMaskedSlowdown);
}

double ProductCost::bytesPerCycle(double footprint) const {
  if (footprint <= static_cast<double>(limits_.l1Bytes)) {
    return 4 * kL2BytesPerCycle;
  }
  return footprint <= static_cast<double>(limits_.l2Bytes) ? kL2BytesPerCycle
                                                           : kMemoryBytesPerCycle;
}

double ProductCost::traffic(const Tiles& tiles) const {
  double blocks = 1;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    blocks *= static_cast<double>(ceilDiv(loops_[i].size, tiles.block[i]));
  }
  double cycles = 0;
  for (const model::RootOperand& operand : operands_) {
    double passes = 1;
    Sizes between = tiles.block;  // touched between two uses of the same element
    bool found = false;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].reduction) {
        continue;
      }
      if (!indexes(operand, i)) {
        passes *= static_cast<double>(ceilDiv(tiles.block[i], tiles.vector[i]));
        found = true;
      }
      if (!found || !indexes(operand, i)) {
        between[i] = tiles.vector[i];
      }
    }
    double reach = 0;
    for (const model::RootOperand& other : operands_) {
      reach += footprintBytes(other, between);
    }
    const double bytes = footprintBytes(operand, tiles.block);
    cycles += blocks * bytes * (1 / kMemoryBytesPerCycle / 2 + (passes - 1) / bytesPerCycle(reach));
  }
  return cycles;
}

}  // namespace hone::knobs
