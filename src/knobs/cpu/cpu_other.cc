#include "knobs/cpu/cpu_other.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

constexpr std::size_t kMaxTilings = 20'000;

/// Estimates cycles from workgroups, innermost tiles and vectors. Assumes uniform memory speed.
double elementsCost(const model::RootOperation& root, const CpuLimits& limits, std::size_t along,
                    const CpuConfig& config) {
  double workgroups = 1;
  double tiles = 1;
  double vectors = 1;
  bool ragged = false;
  for (std::size_t i = 0; i < root.loops.size(); ++i) {
    const std::int64_t size = root.loops[i].size;
    const std::int64_t share = config.distribution[i] > 0 ? config.distribution[i] : size;
    const std::int64_t set = std::max(config.vectorParallel[i], config.vectorReduction[i]);
    const std::int64_t tile = std::min(share, set > 0 ? set : share);
    workgroups *= static_cast<double>(ceilDiv(size, share));
    tiles *= static_cast<double>(ceilDiv(size, tile));
    const std::int64_t lanes = limits.vectorBytes / elementBytes(root.outputs[0].element);
    vectors *=
        static_cast<double>(i == along ? ceilDiv(tile, std::max<std::int64_t>(1, lanes)) : tile);
    ragged = ragged || size % share != 0 || share % tile != 0;
  }
  const double busy = std::min(workgroups, static_cast<double>(limits.cores));
  const double spilled = std::max(0.0, vectors - static_cast<double>(limits.registers));
  return (workgroups * kWorkgroupCycles +
          tiles * (4 + vectors + spilled) * (ragged && !config.peel ? 4 : 1)) /
         busy;
}

/// Returns the register tiles of one loop to try.
std::vector<std::int64_t> vectorTiles(std::int64_t size, std::int64_t largest) {
  std::set<std::int64_t> tiles;
  for (std::int64_t tile = 1; tile <= std::min(size, largest); tile *= 2) {
    tiles.insert(tile);
  }
  if (size <= largest) {
    tiles.insert(size);
  }
  return {tiles.begin(), tiles.end()};
}

/// Loops tiled for registers: the contiguous loop of the result, and that of an input if it
/// differs. Otherwise the second is the innermost reduction or the enclosing loop.
struct Split {
  std::size_t along = 0;
  std::optional<std::size_t> second;
};

Split chooseSplit(const model::RootOperation& root) {
  Split split{innermostLoop(root.outputs[0]).value_or(root.loops.size() - 1), {}};
  std::optional<std::size_t> other;
  for (const model::RootOperand& input : root.inputs) {
    if (const auto loop = innermostLoop(input); loop && *loop != split.along) {
      other = loop;
    }
  }
  for (std::size_t loop = 0; loop < root.loops.size() && !other; ++loop) {
    if (loop != split.along && (root.loops[loop].reduction || !split.second)) {
      split.second = loop;
    }
  }
  if (other) {
    split.second = other;
    // Along a reduction, a vector is a row of the input.
    if (root.loops[*other].reduction) {
      std::swap(split.along, *split.second);
    }
  }
  return split;
}

/// Returns shares of a loop that keep the alignment of the compiler's default, so that vectors and
/// packed tiles still fit.
std::vector<std::int64_t> sharesAround(std::int64_t share, std::int64_t size) {
  const std::int64_t unit = std::gcd(share, std::int64_t{16});
  std::vector<std::int64_t> shares = multiplesOf(unit, size, std::max(size, unit), 8);
  for (std::int64_t& one : shares) {
    one = std::min(one, size);
  }
  std::erase(shares, share);
  return shares;
}

class ElementTilings {
 public:
  ElementTilings(const model::RootOperation& root, const CpuLimits& limits)
      : root_(root), limits_(limits), split_(chooseSplit(root)) {}

  [[nodiscard]] Listing listing() const {
    Listing listing;
    const std::int64_t lanes =
        std::max<std::int64_t>(1, limits_.vectorBytes / elementBytes(root_.outputs[0].element));
    const std::int64_t secondSize = split_.second ? root_.loops[*split_.second].size : 1;
    const auto seconds = vectorTiles(secondSize, lanes);
    for (const std::int64_t along : vectorTiles(root_.loops[split_.along].size, 8 * lanes)) {
      for (const std::int64_t second : seconds) {
        if (second * ceilDiv(along, lanes) <= 2 * limits_.registers) {
          addShares(along, second, listing.tilings);
        }
      }
    }
    listing.guess = [root = root_, limits = limits_, along = split_.along](const Tiling& tiling) {
      return elementsCost(root, limits, along, CpuConfig::from(tiling));
    };
    return listing;
  }

 private:
  void addShares(std::int64_t along, std::int64_t second, std::vector<Tiling>& tilings) const {
    constexpr std::int64_t kLargest = std::int64_t{1} << 16U;
    constexpr std::size_t kMaxShares = 6;
    CpuConfig config(root_.loops.size());
    std::vector<std::vector<std::int64_t>> shares;
    for (std::size_t loop = 0; loop < root_.loops.size(); ++loop) {
      const std::int64_t tile = loop == split_.along ? along : loop == split_.second ? second : 1;
      const bool reduction = root_.loops[loop].reduction;
      (reduction ? config.vectorReduction : config.vectorParallel)[loop] = tile;
      // With many loops, bound the number of shares per loop.
      const std::size_t most = root_.loops.size() <= 3 ? kMaxShares : 3;
      shares.push_back(reduction ? std::vector<std::int64_t>{0}
                                 : multiplesOf(tile, root_.loops[loop].size, kLargest, most));
    }
    distribute(config, shares, 0, tilings);
  }

  /// Adds all combinations of shares for the loops from `loop` on.
  void distribute(CpuConfig& config, const std::vector<std::vector<std::int64_t>>& shares,
                  std::size_t loop, std::vector<Tiling>& tilings) const {
    if (loop < shares.size()) {
      for (const std::int64_t share : shares[loop]) {
        config.distribution[loop] = std::min(share, root_.loops[loop].size);
        distribute(config, shares, loop + 1, tilings);
      }
      return;
    }
    for (const bool peel : {false, true}) {
      config.peel = peel;
      tilings.push_back(config.tiling());
    }
  }

  const model::RootOperation& root_;
  CpuLimits limits_;
  Split split_;
};

}  // namespace

Result<Listing> cpuElements(const model::RootOperation& root, const CpuLimits& limits) {
  if (root.outputs.empty()) {
    return userError("{}: {} has no result", root.dispatch, root.op);
  }
  return ElementTilings(root, limits).listing();
}

Result<Listing> cpuAroundDefault(const model::RootOperation& root, const CpuLimits& limits) {
  const auto byDefault = cpuCompilerDefault(root);
  if (!byDefault) {
    return userError("{}: no knobs for {}: the compiler reports no tile sizes", root.dispatch,
                     root.op);
  }
  Listing listing;
  std::vector<CpuConfig> configs = {*byDefault};
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const std::int64_t share = byDefault->distribution[loop];
    if (share == 0) {
      continue;
    }
    std::vector<CpuConfig> more;
    for (const std::int64_t other : sharesAround(share, root.loops[loop].size)) {
      for (const CpuConfig& config : configs) {
        more.push_back(config);
        more.back().distribution[loop] = other;
      }
    }
    if (configs.size() + more.size() <= kMaxTilings) {
      configs.insert(configs.end(), more.begin(), more.end());
    }
  }
  if (configs.size() == 1) {
    return userError("{}: no knobs for {}: it runs in a single workgroup", root.dispatch, root.op);
  }
  for (const CpuConfig& config : configs) {
    listing.tilings.push_back(config.tiling());
  }
  listing.guess = [root, limits](const Tiling& tiling) {
    const CpuConfig config = CpuConfig::from(tiling);
    double workgroups = 1;
    for (std::size_t i = 0; i < root.loops.size(); ++i) {
      workgroups *= config.distribution[i] > 0
                        ? static_cast<double>(ceilDiv(root.loops[i].size, config.distribution[i]))
                        : 1;
    }
    const auto cores = static_cast<double>(limits.cores);
    return workgroups < cores ? cores / workgroups : 1 + workgroups * 1e-4;
  };
  return listing;
}

}  // namespace hone::knobs
