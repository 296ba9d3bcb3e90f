#include "knobs/gpu/simt/simt_cost.h"

#include <algorithm>
#include <cmath>

#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

// Typical of data-centre GPUs; only the ratios matter.
constexpr double kComputeUnitCount = 100;   ///< compute units
constexpr double kSubgroupsPerUnit = 8;     ///< needed to hide the latency of memory
constexpr double kCyclesPerLoad = 4;        ///< of one load instruction, in those of a multiply
constexpr double kBytesPerMultiply = 0.25;  ///< memory traffic in the time of a multiply
constexpr double kVectorBytes = 16;         ///< of the widest load
constexpr double kLineBytes = 64;           ///< smallest efficient access to memory
constexpr double kStepCycles = 8;           ///< loop overhead per step of the reduction
constexpr double kSyncCycles = 40;          ///< combining the parts of a reduction, per doubling
constexpr double kSimtWorkgroupCycles = 200;

double toDouble(std::int64_t number) { return static_cast<double>(number); }

/// Sizes that a thread and a workgroup handle per step of the reduction.
struct SimtTiles {
  Sizes thread, workgroup;
  double steps = 1;  ///< of the reduction
};

SimtTiles computeTiles(const model::RootOperation& root, const SimtConfig& config) {
  SimtTiles tiles{Sizes(root.loops.size(), 1), Sizes(root.loops.size(), 1)};
  const bool shares = config.pipeline == SimtPipeline::vectorDistribute;
  for (std::size_t i = 0; i < root.loops.size(); ++i) {
    const std::int64_t size = root.loops[i].size;
    if (root.loops[i].reduction) {
      const std::int64_t step = std::clamp<std::int64_t>(config.reduction[i], 1, size);
      const std::int64_t workers =
          shares ? std::max<std::int64_t>(1, config.lanes[i] * config.subgroups[i]) : 1;
      tiles.thread[i] = std::max<std::int64_t>(1, step / workers);
      tiles.workgroup[i] = step;
      tiles.steps *= toDouble(ceilDiv(size, step));
      continue;
    }
    tiles.workgroup[i] = std::max<std::int64_t>(1, config.workgroup[i]);
    tiles.thread[i] =
        shares ? std::max<std::int64_t>(
                     1, tiles.workgroup[i] /
                            std::max<std::int64_t>(1, config.lanes[i] * config.subgroups[i]))
               : std::max<std::int64_t>(1, config.thread[i]);
  }
  return tiles;
}

/// Returns the load instructions of a thread for its tile of an operand.
double countLoads(const model::RootOperand& operand, const SimtConfig& config,
                  const SimtTiles& tiles) {
  const double bytes = footprintBytes(operand, tiles.thread);
  const auto element = toDouble(elementBytes(operand.element));
  const auto inner = innermostLoop(operand);
  // A thread's elements of a shared reduction are adjacent only within its vector.
  double run = inner ? toDouble(tiles.thread[*inner]) : 1;
  if (inner && config.pipeline == SimtPipeline::vectorDistribute) {
    run = std::min(run, toDouble(std::max<std::int64_t>(1, config.thread[*inner])));
  }
  return bytes / std::min(kVectorBytes, element * run);
}

/// Fraction of the loaded bytes that the workgroup uses.
double coalescing(const model::RootOperand& operand, const SimtConfig& config,
                  const SimtTiles& tiles) {
  const auto inner = innermostLoop(operand);
  if (!inner) {
    return 1;
  }
  // Lanes read adjacent elements if they share the operand's innermost loop; otherwise each reads
  // only the elements of its tile.
  const std::int64_t run =
      config.pipeline == SimtPipeline::vectorDistribute
          ? config.lanes[*inner] * std::max<std::int64_t>(1, config.thread[*inner])
          : tiles.workgroup[*inner];
  return std::min(
      1.0, toDouble(std::max<std::int64_t>(run, 1) * elementBytes(operand.element)) / kLineBytes);
}

}  // namespace

double simtCost(const model::RootOperation& root, const SimtConfig& config) {
  const SimtTiles tiles = computeTiles(root, config);
  double multiplies = 1;  // per thread and step
  double workgroups = 1;
  for (std::size_t i = 0; i < root.loops.size(); ++i) {
    multiplies *= toDouble(tiles.thread[i]);
    if (!root.loops[i].reduction) {
      workgroups *= toDouble(ceilDiv(root.loops[i].size, tiles.workgroup[i]));
    }
  }
  double loads = 0;  // per thread and step
  double bytes = 0;  // per workgroup and step
  for (const model::RootOperand& input : root.inputs) {
    loads += countLoads(input, config, tiles) * (config.promote ? 0.5 : 1.0);
    bytes += footprintBytes(input, tiles.workgroup) / coalescing(input, config, tiles);
  }
  const double subgroups = std::ceil(toDouble(config.threads()) /
                                     toDouble(std::max<std::int64_t>(1, config.subgroupSize)));
  const double lanes = subgroups * toDouble(std::max<std::int64_t>(1, config.subgroupSize));
  double shared = 1;  // threads that combine their parts
  for (std::size_t i = 0; i < root.loops.size(); ++i) {
    if (root.loops[i].reduction && config.pipeline == SimtPipeline::vectorDistribute) {
      shared *= toDouble(std::max<std::int64_t>(1, config.lanes[i] * config.subgroups[i]));
    }
  }
  const double arithmetic = (multiplies + loads * kCyclesPerLoad + kStepCycles) * lanes;
  const double traffic = bytes / kBytesPerMultiply;
  const double perWorkgroup = tiles.steps * std::max(arithmetic, traffic) +
                              std::log2(shared) * kSyncCycles * lanes + kSimtWorkgroupCycles;
  double results = 0;
  for (const model::RootOperand& output : root.outputs) {
    results += footprintBytes(output, tiles.workgroup) / coalescing(output, config, tiles);
  }
  const double busy =
      std::min(1.0, workgroups * subgroups / (kComputeUnitCount * kSubgroupsPerUnit));
  return workgroups * (perWorkgroup + results / kBytesPerMultiply) / busy;
}

}  // namespace hone::knobs
