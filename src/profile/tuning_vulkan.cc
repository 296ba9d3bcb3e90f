#include "profile/tuning_vulkan.h"

#include <fmt/ranges.h>

#include <array>

#include "profile/tuning_parts.h"

namespace hone::profile {
namespace {

using model::Conv;
using model::Matmul;
using Sizes = std::vector<std::int64_t>;

/// One thread's share of a tile is a tile, too; the ratio of them is the grid of threads.
std::string compilationInfo(const std::vector<Sizes>& levels, const Sizes& threads) {
  std::vector<std::string> tiles;
  for (const Sizes& sizes : levels) {
    tiles.push_back(fmt::format("[{}]", fmt::join(sizes, ", ")));
  }
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_codegen.lowering_config<tile_sizes = "
      "[{}]>, translation_info = #iree_codegen.translation_info<pipeline = "
      "#iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [{}]>>",
      fmt::join(tiles, ", "), fmt::join(threads, ", "));
}

struct MatmulTile {
  std::int64_t m, n;              ///< of a workgroup
  std::int64_t threadM, threadN;  ///< of a thread
  std::int64_t k;                 ///< at a time
};

constexpr std::array kMatmulTiles = {
    MatmulTile{8, 64, 8, 8, 4},   MatmulTile{16, 64, 8, 8, 8},  MatmulTile{32, 32, 8, 8, 8},
    MatmulTile{32, 128, 8, 4, 4}, MatmulTile{16, 256, 8, 8, 8},
};

std::vector<TuningConfig> matmulConfigs(const Matmul& matmul) {
  std::vector<TuningConfig> configs;
  const auto withBatch = [&](std::int64_t first, Sizes rest) {
    if (matmul.batch > 0) {
      rest.insert(rest.begin(), first);
    }
    return rest;
  };
  for (const MatmulTile& tile : kMatmulTiles) {
    if (tile.m > matmul.m || tile.n > matmul.n || tile.k > matmul.k) {
      continue;
    }
    configs.push_back(tuningConfig(
        fmt::format("{}{}x{}_{}x{}x{}", matmul.batch > 0 ? "1x" : "", tile.m, tile.n, tile.threadM,
                    tile.threadN, tile.k),
        "basevectorize", vectorInstruction(matmul.result),
        compilationInfo({withBatch(1, {tile.m, tile.n}), withBatch(1, {tile.threadM, tile.threadN}),
                         withBatch(0, {0, 0, tile.k})},
                        {tile.n / tile.threadN, tile.m / tile.threadM, 1})));
  }
  return configs;
}

/// Along the output's rows, its width and its filters.
struct ConvTile {
  std::int64_t height, width, filters;
  std::int64_t threadHeight, threadWidth, threadFilters;
};

constexpr std::array kChannelsLast = {ConvTile{1, 4, 64, 1, 4, 4}, ConvTile{1, 8, 32, 1, 4, 4},
                                      ConvTile{2, 8, 64, 1, 4, 4}, ConvTile{4, 4, 64, 2, 4, 4}};
constexpr std::array kChannelsFirst = {ConvTile{1, 16, 16, 1, 4, 4}, ConvTile{1, 32, 8, 1, 4, 4},
                                       ConvTile{2, 32, 8, 1, 4, 8}, ConvTile{4, 8, 8, 1, 4, 4}};

std::vector<TuningConfig> convConfigs(const Conv& conv) {
  if (!takesTiles(conv)) {
    return {};
  }
  const bool last = conv.layout == model::ConvLayout::nhwc;
  constexpr std::int64_t kChannels = 4;  // what is loaded at a time
  std::vector<TuningConfig> configs;
  for (const ConvTile& tile : last ? kChannelsLast : kChannelsFirst) {
    if (tile.height > conv.outH() || tile.width > conv.outW() || tile.filters > conv.k ||
        conv.c % kChannels != 0) {
      continue;
    }
    const std::int64_t y = tile.height / tile.threadHeight;
    const std::int64_t x = tile.width / tile.threadWidth;
    const std::int64_t z = tile.filters / tile.threadFilters;
    const std::string info =
        last ? compilationInfo({{0, tile.height, tile.width, tile.filters},
                                {1, tile.threadHeight, tile.threadWidth, tile.threadFilters},
                                {0, 0, 0, 0, 1, 1, kChannels},
                                {0, 1, 0, 0}},
                               {z, x, y})
             : compilationInfo({{0, tile.filters, tile.height, tile.width},
                                {1, tile.threadFilters, tile.threadHeight, tile.threadWidth},
                                {0, 0, 0, 0, kChannels, 1, 1},
                                {0, 0, 1, 0}},
                               {x, y, z});
    configs.push_back(
        tuningConfig(fmt::format("{}x{}x{}_{}x{}x{}", tile.filters, tile.height, tile.width,
                                 tile.threadFilters, tile.threadHeight, tile.threadWidth),
                     "basevectorize", vectorInstruction(conv.result), info));
  }
  return configs;
}

}  // namespace

std::vector<TuningConfig> vulkanConfigs(const model::Problem& problem) {
  // Smaller elements come out wrong on a device without 8- and 16-bit storage, whatever the tiles.
  if (model::bytesOf(model::operandsOf(problem)[0].element) != 4) {
    return {};
  }
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return matmulConfigs(*matmul);
  }
  if (const auto* conv = std::get_if<Conv>(&problem)) {
    return convConfigs(*conv);
  }
  return {};
}

}  // namespace hone::profile
