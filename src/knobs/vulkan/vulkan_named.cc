#include "knobs/vulkan/vulkan_named.h"

#include <fmt/format.h>

#include <array>

#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"
#include "knobs/vulkan/vulkan_config.h"

namespace hone::knobs {
namespace {

struct VulkanMatmulTile {
  std::int64_t m, n;              ///< per workgroup
  std::int64_t threadM, threadN;  ///< per thread
  std::int64_t k;                 ///< per reduction step
};

constexpr std::array kVulkanMatmulTiles = {
    VulkanMatmulTile{8, 64, 8, 8, 4},   VulkanMatmulTile{16, 64, 8, 8, 8},
    VulkanMatmulTile{32, 32, 8, 8, 8},  VulkanMatmulTile{32, 128, 8, 4, 4},
    VulkanMatmulTile{16, 256, 8, 8, 8},
};

/// Tile along the output's rows, columns and filters.
struct VulkanConvTile {
  std::int64_t height, width, filters;
  std::int64_t threadHeight, threadWidth, threadFilters;
};

constexpr std::array kVulkanChannelsLast = {
    VulkanConvTile{1, 4, 64, 1, 4, 4}, VulkanConvTile{1, 8, 32, 1, 4, 4},
    VulkanConvTile{2, 8, 64, 1, 4, 4}, VulkanConvTile{4, 4, 64, 2, 4, 4}};
constexpr std::array kVulkanChannelsFirst = {
    VulkanConvTile{1, 16, 16, 1, 4, 4}, VulkanConvTile{1, 32, 8, 1, 4, 4},
    VulkanConvTile{2, 32, 8, 1, 4, 8}, VulkanConvTile{4, 8, 8, 1, 4, 4}};

NamedConfig vulkanNamed(const model::RootOperation& root, std::string tile,
                        const VulkanConfig& config) {
  return {std::move(tile), "basevectorize", vectorInstruction(root), compilationInfo(root, config)};
}

std::vector<NamedConfig> vulkanMatmuls(const model::RootOperation& root, const LoopRoles& roles) {
  const std::size_t m = roles.rows.back();
  const std::size_t n = roles.columns.back();
  const std::size_t k = roles.sums.back();
  std::vector<NamedConfig> configs;
  for (const VulkanMatmulTile& tile : kVulkanMatmulTiles) {
    if (tile.m > root.loops[m].size || tile.n > root.loops[n].size || tile.k > root.loops[k].size) {
      continue;
    }
    VulkanConfig config(root.loops.size());
    for (const std::size_t batch : roles.batch) {
      config.workgroup[batch] = config.thread[batch] = 1;
    }
    config.workgroup[m] = tile.m;
    config.workgroup[n] = tile.n;
    config.thread[m] = tile.threadM;
    config.thread[n] = tile.threadN;
    config.reduction[k] = tile.k;
    configs.push_back(vulkanNamed(root,
                                  fmt::format("{}{}x{}_{}x{}x{}", roles.batch.empty() ? "" : "1x",
                                              tile.m, tile.n, tile.threadM, tile.threadN, tile.k),
                                  config));
  }
  return configs;
}

std::vector<NamedConfig> vulkanConvs(const model::RootOperation& root, const LoopRoles& roles) {
  constexpr std::int64_t kChannels = 4;  // loaded per step
  const std::size_t image = roles.rows[0];
  const std::size_t height = roles.rows[1];
  const std::size_t width = roles.rows[2];
  const std::size_t filters = roles.columns.back();
  const std::size_t channels = roles.sums.back();
  const bool channelsLast = innermostLoop(root.outputs[0]) == filters;
  std::vector<NamedConfig> configs;
  for (const VulkanConvTile& tile : channelsLast ? kVulkanChannelsLast : kVulkanChannelsFirst) {
    if (tile.height > root.loops[height].size || tile.width > root.loops[width].size ||
        tile.filters > root.loops[filters].size || root.loops[channels].size % kChannels != 0) {
      continue;
    }
    VulkanConfig config(root.loops.size());
    config.workgroup[height] = tile.height;
    config.workgroup[width] = tile.width;
    config.workgroup[filters] = tile.filters;
    config.thread[image] = 1;
    config.thread[height] = tile.threadHeight;
    config.thread[width] = tile.threadWidth;
    config.thread[filters] = tile.threadFilters;
    for (const std::size_t window : roles.windows) {
      config.reduction[window] = 1;
    }
    config.reduction[channels] = kChannels;
    config.window[height] = 1;
    configs.push_back(
        vulkanNamed(root,
                    fmt::format("{}x{}x{}_{}x{}x{}", tile.filters, tile.height, tile.width,
                                tile.threadFilters, tile.threadHeight, tile.threadWidth),
                    config));
  }
  return configs;
}

}  // namespace

Result<std::vector<NamedConfig>> vulkanNamedConfigs(const model::RootOperation& root) {
  // Smaller elements give wrong results on devices without 8- and 16-bit storage, whatever the
  // tiles.
  if (root.kind == model::RootKind::attention || elementBytes(root.inputs[0].element) != 4) {
    return std::vector<NamedConfig>();
  }
  const LoopRoles roles = HONE_TRY(groupLoops(root));
  return root.kind == model::RootKind::convolution ? vulkanConvs(root, roles)
                                                   : vulkanMatmuls(root, roles);
}

}  // namespace hone::knobs
