#include "knobs/cpu/cpu_named.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "knobs/cpu/cpu_attention.h"
#include "knobs/cpu/cpu_product.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

/// Tiles of a workgroup, of the cache level and of the registers.
struct CpuMatmulTile {
  std::int64_t m, n;
  /// 0: no cache level. The compiler initializes the tile with one vector and rejects large ones.
  std::int64_t cacheM, cacheN, cacheK;
  std::int64_t vectorM, vectorN, vectorK;
};

constexpr std::array kCpuMatmulTiles = {
    CpuMatmulTile{32, 32, 0, 0, 0, 8, 16, 1},       CpuMatmulTile{64, 64, 0, 0, 0, 6, 16, 1},
    CpuMatmulTile{64, 64, 0, 0, 0, 8, 16, 1},       CpuMatmulTile{64, 64, 0, 0, 0, 4, 32, 1},
    CpuMatmulTile{64, 64, 0, 0, 0, 8, 32, 1},       CpuMatmulTile{128, 64, 0, 0, 0, 8, 32, 1},
    CpuMatmulTile{128, 128, 0, 0, 0, 8, 32, 1},     CpuMatmulTile{128, 128, 0, 0, 0, 8, 16, 16},
    CpuMatmulTile{128, 128, 64, 64, 128, 8, 32, 1}, CpuMatmulTile{256, 256, 64, 64, 256, 8, 32, 1},
};

/// Register tile: a row of the output, some of its channels, and input channels per step.
struct CpuConvTile {
  std::int64_t width, filters, channels;
};

// With channels first the compiler lowers rows to matrix products. With channels last and the
// filter first (fhwc) it does not vectorize, whatever the tiles.
constexpr std::array kCpuChannelsFirst = {
    CpuConvTile{32, 8, 1}, CpuConvTile{32, 4, 1}, CpuConvTile{16, 8, 8}, CpuConvTile{16, 16, 1},
    CpuConvTile{28, 8, 1}, CpuConvTile{14, 8, 8}, CpuConvTile{14, 8, 1}, CpuConvTile{7, 8, 8}};
constexpr std::array kCpuChannelsLast = {CpuConvTile{1, 8, 16}, CpuConvTile{4, 8, 16},
                                         CpuConvTile{8, 16, 8}, CpuConvTile{4, 16, 1}};

/// Queries and keys per inner step.
struct CpuAttentionTile {
  std::int64_t queries, keys;
};

constexpr std::array kCpuAttentionTiles = {CpuAttentionTile{2, 16}, CpuAttentionTile{4, 4},
                                           CpuAttentionTile{4, 8},  CpuAttentionTile{4, 16},
                                           CpuAttentionTile{8, 4},  CpuAttentionTile{8, 8}};

NamedConfig cpuNamed(const model::RootOperation& root, std::string tile, const CpuConfig& config) {
  const std::string_view pipeline = config.pipeline == CpuPipeline::doubleTiling ? "doubletiling"
                                    : config.pipeline == CpuPipeline::convDecompose
                                        ? "convdecompose"
                                        : "linalgext";
  return {std::move(tile), std::string(pipeline), vectorInstruction(root), compilationInfo(config)};
}

std::vector<NamedConfig> cpuMatmuls(const model::RootOperation& root, const LoopRoles& roles,
                                    const CpuLimits& limits) {
  const std::int64_t bytes = elementBytes(root.outputs[0].element);
  const std::size_t m = roles.rows.back();
  const std::size_t n = roles.columns.back();
  const std::size_t k = roles.sums.back();
  std::vector<NamedConfig> configs;
  for (const CpuMatmulTile& tile : kCpuMatmulTiles) {
    if (tile.m > root.loops[m].size || tile.n > root.loops[n].size ||
        std::max(tile.cacheK, tile.vectorK) > root.loops[k].size ||
        tile.cacheM * tile.cacheN * bytes >= limits.largestVectorBytes()) {
      continue;
    }
    CpuConfig config =
        withRegisterTile(root, {n, m, k}, {tile.vectorM, tile.vectorN, tile.vectorK});
    // Without peeling, partial tiles are masked, which is several times slower.
    config.peel = true;
    config.distribution[m] = tile.m;
    config.distribution[n] = tile.n;
    std::string cache;
    if (tile.cacheK > 0) {
      for (const std::size_t batch : roles.batch) {
        config.cacheParallel[batch] = 1;
      }
      config.cacheParallel[m] = tile.cacheM;
      config.cacheParallel[n] = tile.cacheN;
      config.cacheReduction[k] = tile.cacheK;
      cache = fmt::format("{}x{}x{}_", tile.cacheM, tile.cacheN, tile.cacheK);
    }
    configs.push_back(
        cpuNamed(root,
                 fmt::format("{}{}x{}_{}{}x{}x{}", roles.batch.empty() ? "" : "1x", tile.m, tile.n,
                             cache, tile.vectorM, tile.vectorN, tile.vectorK),
                 config));
  }
  return configs;
}

std::vector<NamedConfig> cpuConvs(const model::RootOperation& root, const LoopRoles& roles) {
  const std::size_t height = roles.rows[1];
  const std::size_t width = roles.rows[2];
  const std::size_t filter = roles.columns.back();
  const std::size_t channel = roles.sums.back();
  const ProductLoops loops = findProductLoops(root, roles);
  const bool channelsFirst = loops.along == width;
  const std::int64_t filters = std::min<std::int64_t>(64, root.loops[filter].size);
  const std::int64_t heights = std::min<std::int64_t>(8, root.loops[height].size);
  std::vector<NamedConfig> configs;
  for (const CpuConvTile& tile :
       channelsFirst ? std::span<const CpuConvTile>(kCpuChannelsFirst) : kCpuChannelsLast) {
    if (root.loops[width].size % tile.width != 0 || root.loops[channel].size % tile.channels != 0 ||
        root.loops[filter].size % tile.filters != 0 || filters % tile.filters != 0) {
      continue;
    }
    CpuConfig config =
        withRegisterTile(root, loops,
                         channelsFirst ? RegisterTile{tile.filters, tile.width, tile.channels}
                                       : RegisterTile{tile.width, tile.filters, tile.channels});
    config.pipeline = channelsFirst ? CpuPipeline::convDecompose : CpuPipeline::doubleTiling;
    config.distribution[filter] = filters;
    config.distribution[height] = heights;
    config.distribution[width] = 0;
    configs.push_back(
        cpuNamed(root,
                 fmt::format("{}x{}x{}_{}x{}x{}", filters, heights, root.loops[width].size,
                             tile.filters, tile.width, tile.channels),
                 config));
  }
  return configs;
}

Result<std::vector<NamedConfig>> cpuAttentions(const model::RootOperation& root,
                                               const CpuLimits& limits) {
  const AttentionLoops loops = HONE_TRY(findAttentionLoops(root));
  const std::int64_t workgroup = std::gcd(loops.queries, 64);
  std::vector<NamedConfig> configs;
  for (const CpuAttentionTile& named : kCpuAttentionTiles) {
    if (workgroup % named.queries != 0 || loops.keys % named.keys != 0) {
      continue;
    }
    const AttentionTile tile{
        .workgroupQueries = workgroup, .queries = named.queries, .keys = named.keys};
    if (const auto config = withAttentionTile(root, loops, tile, limits)) {
      configs.push_back(cpuNamed(root,
                                 fmt::format("1x{}x{}_{}x{}x{}", workgroup, loops.values,
                                             tile.queries, loops.values, tile.keys),
                                 *config));
    }
  }
  return configs;
}

}  // namespace

Result<std::vector<NamedConfig>> cpuNamedConfigs(const model::RootOperation& root,
                                                 const CpuLimits& limits) {
  if (root.kind == model::RootKind::attention) {
    return cpuAttentions(root, limits);
  }
  const LoopRoles roles = HONE_TRY(groupLoops(root));
  return root.kind == model::RootKind::convolution ? cpuConvs(root, roles)
                                                   : cpuMatmuls(root, roles, limits);
}

}  // namespace hone::knobs
