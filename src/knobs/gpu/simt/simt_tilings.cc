#include "knobs/gpu/simt/simt_tilings.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>

#include "knobs/gpu/simt/simt_config.h"
#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

using model::RootKind;
using model::RootOperation;

constexpr std::int64_t kMinSimtThreads = 32;
constexpr std::int64_t kMaxResultsPerThread = 64;     ///< elements of the result
constexpr std::int64_t kMaxMultipliesPerStep = 1024;  ///< unrolled per thread
constexpr std::int64_t kMaxReductionTile = 64;
constexpr std::int64_t kMaxWindow = 16;      ///< longer reductions are not unrolled as a whole
constexpr double kMaxWaste = 1.34;           ///< threads at the edges without work
constexpr std::size_t kMaxThreadCounts = 8;  ///< thread counts per loop
constexpr std::size_t kMaxSharedLoops = 3;   ///< parallel loops with several threads

/// Returns the powers of two up to `largest`.
std::vector<std::int64_t> powersOfTwo(std::int64_t largest) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = 1; power <= largest; power *= 2) {
    powers.push_back(power);
  }
  return powers;
}

/// Returns true if the root has a reduction over a window of an input.
bool hasWindows(const RootOperation& root) {
  return std::ranges::any_of(root.inputs, [](const model::RootOperand& input) {
    return std::ranges::any_of(input.loops, [](const auto& loops) { return loops.size() > 1; });
  });
}

/// Returns the parallel loops, those that are innermost in the result first.
std::vector<std::size_t> parallelLoops(const RootOperation& root) {
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t loop) {
    if (!root.loops[loop].reduction && std::ranges::find(order, loop) == order.end()) {
      order.push_back(loop);
    }
  };
  for (const auto& loops : std::views::reverse(root.outputs[0].loops)) {
    std::ranges::for_each(loops, add);
  }
  for (std::size_t loop = root.loops.size(); loop-- > 0;) {
    add(loop);
  }
  return order;
}

std::vector<std::size_t> reductionLoops(const RootOperation& root) {
  std::vector<std::size_t> loops;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    if (root.loops[loop].reduction) {
      loops.push_back(loop);
    }
  }
  return loops;
}

/// Returns thread counts for a loop of `tiles` tiles: powers of two and divisors.
std::vector<std::int64_t> threadCounts(std::int64_t tiles, std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (const std::int64_t count : multiplesOf(1, tiles, std::min(tiles, most), kMaxThreadCounts)) {
    const double waste = static_cast<double>(ceilDiv(tiles, count) * count) /
                         static_cast<double>(std::max<std::int64_t>(tiles, 1));
    if (waste <= kMaxWaste) {
      counts.push_back(count);
    }
  }
  return counts;
}

/// Adds a level of choices per loop, pruning as early as possible.
class TileAndFuseLister {
 public:
  TileAndFuseLister(const RootOperation& root, const GpuLimits& limits)
      : root_(root),
        limits_(limits),
        parallel_(parallelLoops(root)),
        reductions_(reductionLoops(root)) {
    if (root.kind == RootKind::contraction && root.inputs.size() == 2) {
      const auto roles = groupLoops(root);
      canPromote_ = roles && !roles->rows.empty() && !roles->columns.empty();
    }
  }

  [[nodiscard]] std::vector<Tiling> list() {
    share(SimtConfig(root_.loops.size()), 0, {1, 1});
    return std::move(tilings_);
  }

 private:
  /// Threads of a workgroup and results per thread.
  struct Totals {
    std::int64_t threads, elements;
  };

  void share(const SimtConfig& config, std::size_t next, Totals totals) {
    if (next == parallel_.size()) {
      if (totals.threads >= std::min(kMinSimtThreads, mostUsefulThreads())) {
        reduce(config, 0, totals.elements);
      }
      return;
    }
    const std::size_t loop = parallel_[next];
    const std::int64_t size = root_.loops[loop].size;
    // Outer loops run one iteration per workgroup. Adjacent elements suit vector loads.
    const bool single = next >= kMaxSharedLoops || !root_.companions.empty();
    const std::int64_t mostElements = single ? 1 : next == 0 ? 16 : 8;
    const std::int64_t mostThreads = next >= kMaxSharedLoops ? 1 : limits_.maxThreads;
    for (const std::int64_t elements : powersOfTwo(std::min(size, mostElements))) {
      if (size % elements != 0 || totals.elements * elements > kMaxResultsPerThread) {
        continue;
      }
      for (const std::int64_t threads : threadCounts(size / elements, mostThreads)) {
        if (totals.threads * threads > limits_.maxThreads) {
          continue;
        }
        SimtConfig more = config;
        more.thread[loop] = elements;
        more.workgroup[loop] = elements * threads;
        share(more, next + 1, {totals.threads * threads, totals.elements * elements});
      }
    }
  }

  /// Adds all tiles of the reduction loops from `next` on.
  void reduce(const SimtConfig& config, std::size_t next, std::int64_t multiplies) {
    if (next == reductions_.size()) {
      finish(config);
      return;
    }
    const std::size_t loop = reductions_[next];
    const bool last = next + 1 == reductions_.size();
    for (const std::int64_t tile : reductionTiles(root_.loops[loop].size, last)) {
      if (multiplies * tile <= kMaxMultipliesPerStep) {
        SimtConfig more = config;
        more.reduction[loop] = tile;
        reduce(more, next + 1, multiplies * tile);
      }
    }
  }

  static std::vector<std::int64_t> reductionTiles(std::int64_t size, bool last) {
    std::set<std::int64_t> tiles = {1};
    if (size <= kMaxWindow) {
      tiles.insert(size);
    }
    for (const std::int64_t power : powersOfTwo(std::min(size, kMaxReductionTile))) {
      if (last && size % power == 0 && (power >= 4 || size < 4)) {
        tiles.insert(power);
      }
    }
    return {tiles.begin(), tiles.end()};
  }

  void finish(SimtConfig config) {
    for (const std::int64_t subgroup : limits_.subgroupSizes) {
      config.subgroupSize = subgroup;
      config.promote = false;
      tilings_.push_back(config.tiling());
      config.promote = true;
      if (canPromote_ && fitsSharedMemory(config)) {
        tilings_.push_back(config.tiling());
      }
    }
  }

  [[nodiscard]] bool fitsSharedMemory(const SimtConfig& config) const {
    std::vector<std::int64_t> tile = config.workgroup;
    for (const std::size_t loop : reductions_) {
      tile[loop] = std::max<std::int64_t>(1, config.reduction[loop]);
    }
    double bytes = 0;
    for (const model::RootOperand& input : root_.inputs) {
      bytes += footprintBytes(input, tile);
    }
    return bytes <= static_cast<double>(limits_.sharedBytes);
  }

  /// Returns the threads that the loops which threads may share can occupy.
  [[nodiscard]] std::int64_t mostUsefulThreads() const {
    std::int64_t count = 1;
    for (std::size_t next = 0; next < std::min(parallel_.size(), kMaxSharedLoops); ++next) {
      count *= root_.loops[parallel_[next]].size;
    }
    return count;
  }

  const RootOperation& root_;
  const GpuLimits& limits_;
  std::vector<std::size_t> parallel_;
  std::vector<std::size_t> reductions_;
  bool canPromote_ = false;
  std::vector<Tiling> tilings_;
};

/// Grid of threads that share a reduction. "Rows" are iterations of the innermost parallel loop.
struct SharedReduction {
  std::int64_t subgroupSize = 0;
  std::int64_t lanes = 1, rowLanes = 1;          ///< of a subgroup
  std::int64_t subgroups = 1, rowSubgroups = 1;  ///< of a workgroup
  std::int64_t elements = 1;                     ///< adjacent elements per thread
  std::int64_t repeats = 1;                      ///< vectors per thread and step
  std::int64_t rowsPerThread = 1;

  [[nodiscard]] std::int64_t tile() const { return subgroups * lanes * elements * repeats; }
  [[nodiscard]] std::int64_t rows() const { return rowLanes * rowSubgroups * rowsPerThread; }
};

/// Loops of a shared reduction.
struct SharedLoops {
  std::size_t reduction = 0;
  std::optional<std::size_t> row;  ///< the innermost parallel loop with several iterations
  bool canSplitRows = true;        ///< false: lanes and subgroups share only the reduction
};

/// Returns the loops to share; nothing if the pipeline does not suit the operation.
std::optional<SharedLoops> findSharedLoops(const RootOperation& root) {
  const auto reductions = reductionLoops(root);
  if (reductions.empty() || hasWindows(root) ||
      (root.kind != RootKind::reduction && root.kind != RootKind::contraction)) {
    return std::nullopt;
  }
  if (root.kind == RootKind::contraction) {
    const auto roles = groupLoops(root);
    if (!roles || (!roles->rows.empty() && !roles->columns.empty())) {
      return std::nullopt;
    }
  }
  SharedLoops loops;
  loops.reduction = reductions.back();
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    if (!root.loops[loop].reduction && root.loops[loop].size > 1) {
      loops.row = loop;
    }
  }
  for (const model::CompanionOperation& companion : root.companions) {
    if (companion.op.empty() || !distributedLoop(companion)) {
      return std::nullopt;
    }
    loops.canSplitRows = loops.canSplitRows && hasSameLoops(companion, root);
  }
  return loops;
}

/// Returns true if the grid divides the loops of the root and of its companions.
bool divides(const RootOperation& root, const SharedLoops& loops, const SharedReduction& grid) {
  if (root.loops[loops.reduction].size % grid.tile() != 0 ||
      (loops.row ? root.loops[*loops.row].size : 1) % grid.rows() != 0) {
    return false;
  }
  return std::ranges::all_of(root.companions, [&](const model::CompanionOperation& companion) {
    return companion.loops[*distributedLoop(companion)].size % grid.tile() == 0;
  });
}

SimtConfig toConfig(const RootOperation& root, const SharedLoops& loops,
                    const SharedReduction& grid) {
  SimtConfig config(root.loops.size());
  config.pipeline = SimtPipeline::vectorDistribute;
  config.subgroupSize = grid.subgroupSize;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const std::int64_t single = root.loops[loop].reduction ? 1 : 0;
    config.workgroup[loop] = 1 - single;
    config.thread[loop] = config.reduction[loop] = single;
    config.lanes[loop] = config.subgroups[loop] = 1;
  }
  config.thread[loops.reduction] = grid.elements;
  config.reduction[loops.reduction] = grid.tile();
  config.lanes[loops.reduction] = grid.lanes;
  config.subgroups[loops.reduction] = grid.subgroups;
  if (loops.row) {
    config.workgroup[*loops.row] = grid.rows();
    config.lanes[*loops.row] = grid.rowLanes;
    config.subgroups[*loops.row] = grid.rowSubgroups;
    config.thread[*loops.row] = grid.rowLanes * grid.rowSubgroups > 1 ? 1 : 0;
  }
  return config;
}

/// Lists the grids with these lanes.
void addGrids(const RootOperation& root, const SharedLoops& loops, const GpuLimits& limits,
              SharedReduction grid, std::vector<Tiling>& tilings) {
  constexpr std::int64_t kMaxValues = 64;  // loaded per thread and step
  const std::int64_t subgroups = limits.maxThreads / grid.subgroupSize;
  for (const std::int64_t all : powersOfTwo(subgroups)) {
    for (const std::int64_t rows :
         powersOfTwo(loops.canSplitRows ? std::min<std::int64_t>(all, 4) : 1)) {
      grid.rowSubgroups = rows;
      grid.subgroups = all / rows;
      for (const std::int64_t elements : powersOfTwo(16)) {
        for (const std::int64_t repeats : {1, 2, 4}) {
          for (const std::int64_t perThread : powersOfTwo(8)) {
            grid.elements = elements;
            grid.repeats = repeats;
            grid.rowsPerThread = perThread;
            if (elements * repeats * perThread <= kMaxValues && divides(root, loops, grid)) {
              tilings.push_back(toConfig(root, loops, grid).tiling());
            }
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<Tiling> tileAndFuseTilings(const RootOperation& root, const GpuLimits& limits) {
  return TileAndFuseLister(root, limits).list();
}

std::vector<Tiling> vectorDistributeTilings(const RootOperation& root, const GpuLimits& limits) {
  std::vector<Tiling> tilings;
  const auto loops = findSharedLoops(root);
  if (!loops) {
    return tilings;
  }
  for (const std::int64_t subgroup : limits.subgroupSizes) {
    for (const std::int64_t rowLanes :
         powersOfTwo(loops->row && loops->canSplitRows ? subgroup : 1)) {
      SharedReduction grid;
      grid.subgroupSize = subgroup;
      grid.rowLanes = rowLanes;
      grid.lanes = subgroup / rowLanes;
      addGrids(root, *loops, limits, grid, tilings);
    }
  }
  return tilings;
}

}  // namespace hone::knobs
