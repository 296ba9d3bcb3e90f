#include "knobs/cpu/cpu_product.h"

#include <algorithm>
#include <set>

#include "knobs/cpu/cpu_cost.h"
#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

class ProductTilings {
 public:
  ProductTilings(const model::RootOperation& root, const CpuLimits& limits, const LoopRoles& roles);

  [[nodiscard]] std::vector<Tiling> tilings() const;

 private:
  [[nodiscard]] bool isConvolution() const { return root_.kind == model::RootKind::convolution; }
  [[nodiscard]] std::int64_t size(std::optional<std::size_t> loop) const;
  [[nodiscard]] std::vector<std::int64_t> alongTiles() const;
  [[nodiscard]] std::vector<std::int64_t> acrossTiles() const;
  [[nodiscard]] std::vector<std::int64_t> sumTiles() const;
  [[nodiscard]] bool fits(const RegisterTile& vector) const;
  void addShares(const RegisterTile& vector, std::vector<Tiling>& tilings) const;
  void addCached(const CpuConfig& plain, const RegisterTile& vector,
                 std::vector<Tiling>& tilings) const;
  void add(CpuConfig config, std::vector<Tiling>& tilings) const;

  const model::RootOperation& root_;
  CpuLimits limits_;
  std::int64_t lanes_ = 1;
  ProductLoops loops_;
  std::optional<std::size_t> next_;  ///< innermost of the other result loops
};

/// Returns the divisors up to `largest`. Convolutions are vectorized only without partial tiles.
std::vector<std::int64_t> dividing(std::int64_t size, std::int64_t largest) {
  std::vector<std::int64_t> tiles = divisorsOf(size);
  std::erase_if(tiles, [&](std::int64_t tile) { return tile > largest; });
  return tiles;
}

std::optional<std::size_t> lastLoop(const std::vector<std::size_t>& loops) {
  return loops.empty() ? std::nullopt : std::optional(loops.back());
}

ProductTilings::ProductTilings(const model::RootOperation& root, const CpuLimits& limits,
                               const LoopRoles& roles)
    : root_(root), limits_(limits) {
  lanes_ = std::max<std::int64_t>(1, limits.vectorBytes / elementBytes(root.outputs[0].element));
  loops_ = findProductLoops(root, roles);
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    if (!root.loops[loop].reduction && loop != loops_.along && loop != loops_.across) {
      next_ = loop;
    }
  }
}

std::int64_t ProductTilings::size(std::optional<std::size_t> loop) const {
  return loop ? root_.loops[*loop].size : 1;
}

/// Returns multiples of the vector length; a loop shorter than that is one vector.
std::vector<std::int64_t> ProductTilings::alongTiles() const {
  if (isConvolution()) {
    return dividing(size(loops_.along), 4 * lanes_);
  }
  std::set<std::int64_t> tiles;
  for (const std::int64_t vectors : {1, 2, 3, 4}) {
    tiles.insert(std::min(vectors * lanes_, size(loops_.along)));
  }
  if (size(loops_.along) % lanes_ != 0) {
    tiles.insert(std::min(std::max<std::int64_t>(1, lanes_ / 2), size(loops_.along)));
  }
  return {tiles.begin(), tiles.end()};
}

std::vector<std::int64_t> ProductTilings::acrossTiles() const {
  if (isConvolution()) {
    return dividing(size(loops_.across), limits_.registers);
  }
  std::set<std::int64_t> tiles;
  for (const std::int64_t tile : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16}) {
    if (tile <= size(loops_.across)) {
      tiles.insert(tile);
    }
  }
  if (size(loops_.across) < limits_.registers) {
    tiles.insert(size(loops_.across));
  }
  return {tiles.begin(), tiles.end()};
}

std::vector<std::int64_t> ProductTilings::sumTiles() const {
  if (isConvolution()) {
    return dividing(size(loops_.sum), lanes_);
  }
  std::set<std::int64_t> tiles;
  for (const std::int64_t tile : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    // Long sums per step pay off only if the result is too small to fill the lanes.
    if (tile <= size(loops_.sum) &&
        (tile <= lanes_ || size(loops_.along) < lanes_ || size(loops_.across) == 1)) {
      tiles.insert(tile);
    }
  }
  return {tiles.begin(), tiles.end()};
}

bool ProductTilings::fits(const RegisterTile& vector) const {
  const std::int64_t accumulators = vector.across * ceilDiv(vector.along, lanes_);
  const std::int64_t bytes = elementBytes(root_.outputs[0].element);
  return accumulators <= limits_.registers + limits_.registers / 4 &&
         vector.across * vector.along * vector.sum * bytes < limits_.largestVectorBytes();
}

void ProductTilings::add(CpuConfig config, std::vector<Tiling>& tilings) const {
  bool ragged = false;
  for (std::size_t i = 0; i < root_.loops.size(); ++i) {
    std::int64_t outer = root_.loops[i].size;
    for (const Sizes* level : {&config.distribution, &config.cacheParallel, &config.cacheReduction,
                               &config.vectorParallel, &config.vectorReduction}) {
      if (const std::int64_t tile = (*level)[i]; tile > 0) {
        ragged = ragged || outer % tile != 0;
        outer = tile;
      }
    }
  }
  config.peel = true;
  tilings.push_back(config.tiling());
  if (ragged) {
    config.peel = false;
    tilings.push_back(config.tiling());
  }
}

void ProductTilings::addCached(const CpuConfig& plain, const RegisterTile& vector,
                               std::vector<Tiling>& tilings) const {
  if (!loops_.sum || !loops_.along) {
    return;
  }
  const std::int64_t bytes = elementBytes(root_.outputs[0].element);
  for (const std::int64_t sums : {64, 128, 256, 512}) {
    for (const std::int64_t strips : {1, 2, 4}) {
      const std::int64_t strip = strips * vector.along;
      // The strip of the reduced operand should stay in L1 while the rows stream past it.
      if (sums >= size(loops_.sum) || sums % vector.sum != 0 ||
          strip > plain.distribution[*loops_.along] || sums * strip * bytes > 2 * limits_.l1Bytes ||
          sums * strip * bytes < limits_.l1Bytes / 4) {
        continue;
      }
      CpuConfig config = plain;
      config.cacheReduction[*loops_.sum] = sums;
      for (std::size_t i = 0; i < root_.loops.size(); ++i) {
        config.cacheParallel[i] = root_.loops[i].reduction ? 0 : 1;
      }
      config.cacheParallel[*loops_.along] = strip;
      if (loops_.across) {
        // The compiler initializes a block of the result with one vector and rejects large ones.
        const std::int64_t most = (limits_.largestVectorBytes() - 1) / bytes / strip;
        const std::int64_t rows = std::min(most, plain.distribution[*loops_.across]);
        if (rows < vector.across) {
          continue;
        }
        config.cacheParallel[*loops_.across] = rows / vector.across * vector.across;
      }
      add(config, tilings);
    }
  }
}

void ProductTilings::addShares(const RegisterTile& vector, std::vector<Tiling>& tilings) const {
  constexpr std::int64_t kLargest = 4096;
  constexpr std::size_t kMaxShares = 5;
  const auto alongShares = multiplesOf(vector.along, size(loops_.along), kLargest, kMaxShares);
  const auto acrossShares = multiplesOf(vector.across, size(loops_.across), kLargest, kMaxShares);
  const auto nextShares = next_ ? multiplesOf(1, size(next_), 64, 3) : std::vector<std::int64_t>{1};
  for (const std::int64_t along : alongShares) {
    for (const std::int64_t across : acrossShares) {
      for (const std::int64_t next : nextShares) {
        CpuConfig shared = withRegisterTile(root_, loops_, vector);
        if (next_) {
          shared.distribution[*next_] = next;
        }
        if (loops_.across) {
          shared.distribution[*loops_.across] = std::min(across, size(loops_.across));
        }
        if (loops_.along) {
          shared.distribution[*loops_.along] = std::min(along, size(loops_.along));
        }
        if (isConvolution()) {
          shared.pipeline = CpuPipeline::convDecompose;
          add(shared, tilings);
        } else {
          add(shared, tilings);
          addCached(shared, vector, tilings);
        }
      }
    }
  }
}

std::vector<Tiling> ProductTilings::tilings() const {
  std::vector<Tiling> tilings;
  const auto acrossSizes = acrossTiles();
  const auto sumSizes = sumTiles();
  for (const std::int64_t along : alongTiles()) {
    for (const std::int64_t across : acrossSizes) {
      for (const std::int64_t sum : sumSizes) {
        const RegisterTile vector{across, along, sum};
        if (fits(vector)) {
          addShares(vector, tilings);
        }
      }
    }
  }
  return tilings;
}

}  // namespace

ProductLoops findProductLoops(const model::RootOperation& root, const LoopRoles& roles) {
  ProductLoops loops;
  loops.sum = lastLoop(roles.sums.empty() ? roles.windows : roles.sums);
  loops.along = innermostLoop(root.outputs[0]);
  const bool byRows =
      loops.along && std::count(roles.rows.begin(), roles.rows.end(), *loops.along) > 0;
  loops.across = lastLoop(byRows ? roles.columns : roles.rows);
  return loops;
}

CpuConfig withRegisterTile(const model::RootOperation& root, const ProductLoops& loops,
                           const RegisterTile& tile) {
  CpuConfig config(root.loops.size());
  for (std::size_t i = 0; i < root.loops.size(); ++i) {
    if (root.loops[i].reduction) {
      config.vectorReduction[i] = 1;
    } else {
      config.distribution[i] = 1;
      config.vectorParallel[i] = 1;
    }
  }
  if (loops.along) {
    config.vectorParallel[*loops.along] = tile.along;
  }
  if (loops.across) {
    config.vectorParallel[*loops.across] = tile.across;
  }
  if (loops.sum) {
    config.vectorReduction[*loops.sum] = tile.sum;
  }
  return config;
}

Result<Listing> cpuProduct(const model::RootOperation& root, const CpuLimits& limits) {
  const ProductTilings product(root, limits, HONE_TRY(groupLoops(root)));
  Listing listing;
  listing.tilings = product.tilings();
  listing.guess = [cost = ProductCost(root, limits)](const Tiling& tiling) {
    return cost(CpuConfig::from(tiling));
  };
  return listing;
}

}  // namespace hone::knobs
