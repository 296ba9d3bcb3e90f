#include "tune/layers/register_tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace hone::tune {
namespace {

/// Multiply-adds and loads per cycle, and cycles until the result of a multiply-add can be used.
constexpr double kPerCycle = 2;
constexpr double kLatency = 4;
/// Tiles with more rows gain nothing: loads of the image bound them.
constexpr std::int64_t kMaxRows = 12;
/// Workgroups per core, so that cores finish at about the same time.
constexpr std::int64_t kWorkgroupsPerCore = 4;
/// Matmuls with fewer multiply-adds are not divided among cores.
constexpr double kMinSharedWork = 1e6;
/// Iterations of the reduction per step of the innermost loop.
constexpr std::array<std::int64_t, 3> kSumSteps = {4, 3, 2};

/// Vectors of columns per tile; smaller ones fill a part of a vector.
constexpr std::array<double, 6> kVectors = {4, 2, 1, 0.5, 0.25, 0.125};
/// Narrower tiles are not faster than the compiler's.
constexpr std::int64_t kMinColumns = 4;
/// Cost of removing the columns of padding, relative to the matmul.
constexpr double kPaddingCost = 0.1;

/// Cost of a peeled loop over the rows that no whole tile covers. Decides between tiles that are
/// otherwise about equal: one row more in a tile saves less.
constexpr double kRestCost = 0.002;

/// Returns the cycles per step of the reduction that a tile takes.
double estimateCycles(std::int64_t rows, std::int64_t vectors) {
  return std::max({static_cast<double>(rows * vectors) / kPerCycle,
                   static_cast<double>(rows + vectors) / kPerCycle, kLatency});
}

/// Estimates the cycles of a matmul in tiles, per row and full vector of columns.
double estimateCost(const TiledMatmul& matmul, const RegisterTile& tile, std::int64_t lanes) {
  const std::int64_t vectors = (tile.columns + lanes - 1) / lanes;
  const std::int64_t panels = (matmul.columns + tile.columns - 1) / tile.columns;
  const std::int64_t whole = matmul.rows / tile.rows;
  const std::int64_t rest = matmul.rows % tile.rows;
  const double cycles = static_cast<double>(whole) * estimateCycles(tile.rows, vectors) +
                        (rest == 0 ? 0 : estimateCycles(rest, vectors));
  const double loads =
      static_cast<double>(tile.rows + vectors) / static_cast<double>(tile.rows * vectors);
  constexpr double kLoadWeight = 0.05;  // loads that the multiply-adds hide still cost a little
  const double cost =
      cycles * static_cast<double>(panels) /
      (static_cast<double>(matmul.rows * matmul.columns) / static_cast<double>(lanes));
  return cost + kLoadWeight * loads + (rest == 0 ? 0 : kRestCost) +
         (matmul.columns % tile.columns == 0 ? 0 : kPaddingCost);
}

std::int64_t sumStep(std::int64_t sum) {
  const auto* step = std::ranges::find_if(kSumSteps, [&](auto one) { return sum % one == 0; });
  return step == kSumSteps.end() ? 1 : *step;
}

/// Returns the number of iterations of a loop that one workgroup performs: a multiple of `unit`.
std::int64_t chooseBlock(std::int64_t extent, std::int64_t unit, std::int64_t most) {
  most = std::max(most, unit);
  if (most >= extent) {
    return extent;
  }
  // Blocks of equal size leave no small rest.
  for (std::int64_t parts = (extent + most - 1) / most; parts <= 2 * (extent / most + 1); ++parts) {
    if (extent % parts == 0 && (extent / parts) % unit == 0) {
      return extent / parts;
    }
  }
  return most / unit * unit;
}

}  // namespace

std::vector<RegisterTile> registerTiles(const TiledMatmul& matmul, const knobs::CpuLimits& limits,
                                        std::size_t count) {
  const std::int64_t lanes = std::max<std::int64_t>(1, limits.vectorBytes / matmul.elementBytes);
  std::vector<std::pair<double, RegisterTile>> ranked;
  for (const double share : kVectors) {
    const auto columns = static_cast<std::int64_t>(share * static_cast<double>(lanes));
    if (columns < kMinColumns || columns >= 2 * matmul.columns) {
      continue;
    }
    const std::int64_t vectors = (columns + lanes - 1) / lanes;
    // One register holds an element of the image, others a row of the panel.
    const std::int64_t most =
        std::min({(limits.registers - 1 - vectors) / vectors, kMaxRows, matmul.rows});
    for (std::int64_t rows = 1; rows <= most; ++rows) {
      const RegisterTile tile{.rows = rows, .columns = columns};
      ranked.emplace_back(estimateCost(matmul, tile, lanes), tile);
    }
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<double, RegisterTile>::first);
  ranked.resize(std::min(ranked.size(), count));
  std::vector<RegisterTile> tiles;
  for (const auto& [cost, tile] : ranked) {
    tiles.push_back(tile);
  }
  return tiles;
}

PanelConfig panelConfig(const PanelLoops& loops, const RegisterTile& tile,
                        const knobs::CpuLimits& limits) {
  std::vector<std::int64_t> distribution = loops.rows;
  std::vector<std::int64_t> vector(loops.rows.size(), 1);
  if (!vector.empty()) {
    vector.back() = tile.rows;
  }
  const std::int64_t rows =
      std::accumulate(loops.rows.begin(), loops.rows.end(), std::int64_t{1}, std::multiplies<>());
  std::int64_t most = std::max<std::int64_t>(1, limits.l2Bytes / 2 / loops.rowBytes);
  if (static_cast<double>(rows * loops.groups * loops.panels * loops.columns) *
          static_cast<double>(loops.sum) >
      kMinSharedWork) {
    const std::int64_t wanted = kWorkgroupsPerCore * limits.cores;
    most = std::min(most, std::max<std::int64_t>(1, rows * loops.groups * loops.panels / wanted));
  }
  // The first loops are divided; the last one only if it is the only one.
  std::int64_t inner = rows;
  for (std::size_t i = 0; i < loops.rows.size(); ++i) {
    inner /= loops.rows[i];
    const bool last = i + 1 == loops.rows.size();
    if (!last || loops.rows.size() == 1) {
      distribution[i] =
          chooseBlock(loops.rows[i], last ? tile.rows : 1, std::max<std::int64_t>(1, most / inner));
    }
  }
  if (loops.groups > 1) {
    distribution.push_back(1);
    vector.push_back(1);
  }
  if (loops.panels > 1) {
    distribution.push_back(loops.rows.empty() ? chooseBlock(loops.panels, 1, most) : 1);
    vector.push_back(1);
  }
  distribution.insert(distribution.end(), {loops.columns, 0});
  vector.insert(vector.end(), {loops.columns, 0});
  std::vector<std::int64_t> reduction(vector.size(), 0);
  reduction.back() = sumStep(loops.sum);
  const std::string levels = fmt::format("vector_common_parallel = [{}], vector_reduction = [{}]",
                                         fmt::join(vector, ", "), fmt::join(reduction, ", "));
  const bool peel = !loops.rows.empty() && loops.rows.back() % tile.rows != 0;
  return {.compilationInfo = fmt::format(
              "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<"
              "distribution = [{}], {}>, translation_info = <pipeline = "
              "#iree_cpu.pipeline<DoubleTilingExpert>{}>>",
              fmt::join(distribution, ", "), levels, peel ? ", {enable_loop_peeling}" : ""),
          .loweringConfig = fmt::format("#iree_cpu.lowering_config<{}>", levels)};
}

}  // namespace hone::tune
