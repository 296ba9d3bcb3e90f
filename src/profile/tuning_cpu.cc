#include "profile/tuning_cpu.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "profile/tuning_parts.h"

namespace hone::profile {
namespace {

using model::Attention;
using model::Conv;
using model::Matmul;
using Sizes = std::vector<std::int64_t>;

/// The tiles of each level, one number a loop; a level without tiles is left out.
struct Levels {
  Sizes distribution;
  Sizes vectorParallel, vectorReduction;
  Sizes cacheParallel{}, cacheReduction{};  // NOLINT(readability-redundant-member-init): g++ warns
};

std::string compilationInfo(const Levels& levels, std::string_view pipeline,
                            std::string_view options) {
  std::string config;
  const auto add = [&](std::string_view name, const Sizes& sizes) {
    if (!sizes.empty()) {
      config +=
          fmt::format("{}{} = [{}]", config.empty() ? "" : ", ", name, fmt::join(sizes, ", "));
    }
  };
  add("cache_parallel", levels.cacheParallel);
  add("cache_reduction", levels.cacheReduction);
  add("distribution", levels.distribution);
  add("vector_common_parallel", levels.vectorParallel);
  add("vector_reduction", levels.vectorReduction);
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<{}>, "
      "translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<{}>{}>>",
      config, pipeline, options);
}

/// A workgroup's tile, the part of it that is to stay in the cache, and what is held in registers.
struct MatmulTile {
  std::int64_t m, n;
  std::int64_t cacheM, cacheN, cacheK;  ///< 0: no such level
  std::int64_t vectorM, vectorN, vectorK;
};

constexpr std::array kMatmulTiles = {
    MatmulTile{32, 32, 0, 0, 0, 8, 16, 1},       MatmulTile{64, 64, 0, 0, 0, 6, 16, 1},
    MatmulTile{64, 64, 0, 0, 0, 8, 16, 1},       MatmulTile{64, 64, 0, 0, 0, 4, 32, 1},
    MatmulTile{64, 64, 0, 0, 0, 8, 32, 1},       MatmulTile{128, 64, 0, 0, 0, 8, 32, 1},
    MatmulTile{128, 128, 0, 0, 0, 8, 32, 1},     MatmulTile{128, 128, 0, 0, 0, 8, 16, 16},
    MatmulTile{128, 128, 64, 64, 128, 8, 32, 1}, MatmulTile{256, 256, 64, 64, 256, 8, 32, 1},
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
    if (tile.m > matmul.m || tile.n > matmul.n || std::max(tile.cacheK, tile.vectorK) > matmul.k) {
      continue;
    }
    Levels levels;
    levels.distribution = withBatch(1, {tile.m, tile.n, 0});
    std::string cache;
    if (tile.cacheK > 0) {
      levels.cacheParallel = withBatch(1, {tile.cacheM, tile.cacheN, 0});
      levels.cacheReduction = withBatch(0, {0, 0, tile.cacheK});
      cache = fmt::format("{}x{}x{}_", tile.cacheM, tile.cacheN, tile.cacheK);
    }
    levels.vectorParallel = withBatch(1, {tile.vectorM, tile.vectorN, 0});
    levels.vectorReduction = withBatch(0, {0, 0, tile.vectorK});
    // Without peeling, what is left over at the edges is done with masks, several times slower.
    configs.push_back(
        tuningConfig(fmt::format("{}{}x{}_{}{}x{}x{}", matmul.batch > 0 ? "1x" : "", tile.m, tile.n,
                                 cache, tile.vectorM, tile.vectorN, tile.vectorK),
                     "doubletiling", vectorInstruction(matmul.result),
                     compilationInfo(levels, "DoubleTilingExpert", ", {enable_loop_peeling}")));
  }
  return configs;
}

/// What is held in registers: a row of the output, some of its channels, input channels at a time.
struct ConvTile {
  std::int64_t width, filters, channels;
};

// With channels first the compiler makes rows of matrix products of it. With channels last and the
// filter first (fhwc) it vectorizes nothing, whatever the tiles.
constexpr std::array kChannelsFirst = {ConvTile{32, 8, 1},  ConvTile{32, 4, 1}, ConvTile{16, 8, 8},
                                       ConvTile{16, 16, 1}, ConvTile{28, 8, 1}, ConvTile{14, 8, 8},
                                       ConvTile{14, 8, 1},  ConvTile{7, 8, 8}};
constexpr std::array kChannelsLast = {ConvTile{1, 8, 16}, ConvTile{4, 8, 16}, ConvTile{8, 16, 8},
                                      ConvTile{4, 16, 1}};

std::vector<TuningConfig> convConfigs(const Conv& conv) {
  if (!takesTiles(conv)) {
    return {};
  }
  const bool first = conv.layout == model::ConvLayout::nchw;
  const std::span<const ConvTile> tiles =
      first ? std::span<const ConvTile>(kChannelsFirst) : kChannelsLast;
  const std::int64_t filters = std::min<std::int64_t>(64, conv.k);
  const std::int64_t height = std::min<std::int64_t>(8, conv.outH());
  std::vector<TuningConfig> configs;
  for (const ConvTile& tile : tiles) {
    if (conv.outW() % tile.width != 0 || conv.c % tile.channels != 0 ||
        conv.k % tile.filters != 0 || filters % tile.filters != 0) {
      continue;
    }
    Levels levels;
    if (first) {
      levels = {.distribution = {1, filters, height, 0, 0, 0, 0},
                .vectorParallel = {1, tile.filters, 1, tile.width, 0, 0, 0},
                .vectorReduction = {0, 0, 0, 0, tile.channels, 1, 1}};
    } else {
      levels = {.distribution = {1, height, 0, filters, 0, 0, 0},
                .vectorParallel = {1, 1, tile.width, tile.filters, 0, 0, 0},
                .vectorReduction = {0, 0, 0, 0, 1, 1, tile.channels}};
    }
    configs.push_back(tuningConfig(
        fmt::format("{}x{}x{}_{}x{}x{}", filters, height, conv.outW(), tile.filters, tile.width,
                    tile.channels),
        first ? "convdecompose" : "doubletiling", vectorInstruction(conv.result),
        compilationInfo(levels, first ? "ConvTileAndDecomposeExpert" : "DoubleTilingExpert", "")));
  }
  return configs;
}

/// Queries and keys that are worked on at a time.
struct AttentionTile {
  std::int64_t queries, keys;
};

constexpr std::array kAttentionTiles = {AttentionTile{2, 16}, AttentionTile{4, 4},
                                        AttentionTile{4, 8},  AttentionTile{4, 16},
                                        AttentionTile{8, 4},  AttentionTile{8, 8}};

/// The compiler refuses vectors of this many bytes: 512 registers.
std::int64_t largestVector() {
  std::int64_t registerBytes = 16;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {
    registerBytes = 64;
  } else if (__builtin_cpu_supports("avx2")) {
    registerBytes = 32;
  }
#endif
  return 512 * registerBytes;
}

/// The loops are batch, query, depth of the value, depth of the key, key; the compiler folds a
/// batch of one. The depth is never split: each part of it would compute all scores anew, which is
/// what makes the default slow.
std::vector<TuningConfig> attentionConfigs(const Attention& attention) {
  constexpr std::int64_t kScoreBytes = 4;
  const std::int64_t queries = std::gcd(attention.queries, 64);
  const auto withBatch = [&](std::int64_t first, Sizes rest) {
    if (attention.batch > 1) {
      rest.insert(rest.begin(), first);
    }
    return rest;
  };
  std::vector<TuningConfig> configs;
  for (const AttentionTile& tile : kAttentionTiles) {
    if (queries % tile.queries != 0 || attention.keys % tile.keys != 0 ||
        tile.queries * tile.keys * attention.depth * kScoreBytes >= largestVector()) {
      continue;
    }
    const Levels levels = {.distribution = withBatch(1, {queries, 0, 0, 0}),
                           .vectorParallel = withBatch(1, {tile.queries, attention.depth, 0, 0}),
                           .vectorReduction = withBatch(0, {0, 0, 0, tile.keys})};
    configs.push_back(tuningConfig(fmt::format("1x{}x{}_{}x{}x{}", queries, attention.depth,
                                               tile.queries, attention.depth, tile.keys),
                                   "linalgext", vectorInstruction(attention.type),
                                   compilationInfo(levels, "LinalgExtTileAndVectorize", "")));
  }
  return configs;
}

}  // namespace

std::vector<TuningConfig> cpuConfigs(const model::Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return matmulConfigs(*matmul);
  }
  if (const auto* conv = std::get_if<Conv>(&problem)) {
    return convConfigs(*conv);
  }
  return attentionConfigs(std::get<Attention>(problem));
}

}  // namespace hone::profile
