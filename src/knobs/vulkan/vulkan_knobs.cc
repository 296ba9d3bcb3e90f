#include "knobs/vulkan/vulkan_knobs.h"

#include <algorithm>
#include <set>

#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"
#include "knobs/vulkan/vulkan_config.h"

namespace hone::knobs {
namespace {

constexpr std::int64_t kMaxThreads = 256;
constexpr std::int64_t kMaxElementsPerThread = 64;  ///< elements of the result
constexpr std::int64_t kVector = 4;                 ///< elements of a SPIR-V vector
constexpr std::int64_t kMinSharing = 32;            ///< threads that share a reduction: a subgroup

/// Tile of one parallel loop per workgroup and per thread.
struct Share {
  std::int64_t workgroup, thread;
};

/// Returns the powers of two up to `size` and `largest`.
std::vector<std::int64_t> powers(std::int64_t size, std::int64_t largest) {
  std::vector<std::int64_t> all;
  for (std::int64_t power = 1; power <= std::min(size, largest); power *= 2) {
    all.push_back(power);
  }
  return all;
}

std::vector<Share> shares(std::int64_t size, std::int64_t maxPerThread, std::int64_t maxThreads) {
  std::vector<Share> all;
  for (const std::int64_t thread : powers(size, maxPerThread)) {
    for (const std::int64_t threads : powers(size / thread, maxThreads)) {
      all.push_back({thread * threads, thread});
    }
  }
  return all;
}

class VulkanTilings {
 public:
  VulkanTilings(const model::RootOperation& root, const LoopRoles& roles)
      : root_(root), roles_(roles) {
    for (const auto& loops : root.outputs[0].loops) {
      if (loops.size() == 1) {
        parallel_.insert(parallel_.begin(), loops.front());
      }
    }
  }

  [[nodiscard]] std::vector<Tiling> tilings() const {
    std::vector<Tiling> tilings;
    share(VulkanConfig(root_.loops.size()), 0, 1, 1, tilings);
    if (sharesReductions(root_) && !roles_.sums.empty() && canConfigureCompanions()) {
      shareReduction(tilings);
    }
    return tilings;
  }

 private:
  /// Adds all tiles of the parallel loops from `next` on, starting with the innermost of the
  /// result. Only three loops are mapped to threads; outer loops run one iteration per workgroup.
  void share(const VulkanConfig& config, std::size_t next, std::int64_t threads,
             std::int64_t elements, std::vector<Tiling>& tilings) const {
    if (next == parallel_.size()) {
      sum(config, tilings);
      return;
    }
    const std::size_t loop = parallel_[next];
    const std::int64_t size = root_.loops[loop].size;
    const bool outer = next > 2 || (next == 2 && parallel_.size() == 3 && !isConvolution());
    for (const Share& one : outer ? std::vector<Share>{{1, 1}} : shares(size, 16, 64)) {
      const std::int64_t allThreads = threads * (one.workgroup / one.thread);
      const std::int64_t allElements = elements * one.thread;
      // Require vector loads of contiguous elements if the loop is long enough.
      // Reductions are vectorized along the reduction instead.
      const bool scalar = next == 0 && one.thread < std::min(kVector, size) && size % 2 == 0 &&
                          root_.kind != model::RootKind::reduction;
      if (allThreads > kMaxThreads || allElements > kMaxElementsPerThread || scalar) {
        continue;
      }
      VulkanConfig more = config;
      // The thread level handles a convolution's batch.
      more.workgroup[loop] = outer && isConvolution() ? 0 : one.workgroup;
      more.thread[loop] = one.thread;
      share(more, next + 1, allThreads, allElements, tilings);
    }
  }

  void sum(const VulkanConfig& config, std::vector<Tiling>& tilings) const {
    if (roles_.sums.empty() && roles_.windows.empty()) {
      tilings.push_back(config.tiling());
      return;
    }
    VulkanConfig summed = config;
    if (root_.kind == model::RootKind::reduction) {
      summed.pipeline = VulkanPipeline::distribute;
      tilings.push_back(summed.tiling());
      summed.pipeline = VulkanPipeline::vectorize;
    }
    for (std::size_t loop = 0; loop < root_.loops.size(); ++loop) {
      summed.reduction[loop] = root_.loops[loop].reduction ? 1 : 0;
    }
    if (isConvolution() && parallel_.size() > 2) {
      summed.window[rowLoop()] = 1;
    }
    if (roles_.sums.empty()) {
      tilings.push_back(summed.tiling());
      return;
    }
    const std::size_t loop = roles_.sums.back();
    for (const std::int64_t sums : powers(root_.loops[loop].size, 32)) {
      if (root_.loops[loop].size % sums == 0) {
        summed.reduction[loop] = sums;
        tilings.push_back(summed.tiling());
      }
    }
  }

  /// Adds tilings in which the threads of a workgroup share the innermost reduction.
  void shareReduction(std::vector<Tiling>& tilings) const {
    const std::size_t inner = roles_.sums.back();
    VulkanConfig config(root_.loops.size());
    config.pipeline = VulkanPipeline::subgroupReduce;
    for (std::size_t loop = 0; loop < root_.loops.size(); ++loop) {
      config.workgroup[loop] = root_.loops[loop].reduction ? 0 : 1;
      config.reduction[loop] = root_.loops[loop].reduction ? 1 : 0;
    }
    for (const std::int64_t elements : powers(root_.loops[inner].size, 8)) {
      for (const std::int64_t threads :
           powers(root_.loops[inner].size / elements, 4 * kMaxThreads)) {
        if (threads >= kMinSharing && root_.loops[inner].size % (elements * threads) == 0) {
          config.thread[inner] = elements;
          config.reduction[inner] = elements * threads;
          tilings.push_back(config.tiling());
        }
      }
    }
  }

  [[nodiscard]] bool canConfigureCompanions() const {
    return std::ranges::all_of(root_.companions, [&](const model::CompanionOperation& one) {
      return !one.op.empty() && one.loops.size() == root_.loops.size();
    });
  }

  [[nodiscard]] bool isConvolution() const { return root_.kind == model::RootKind::convolution; }

  /// Returns the loop over output rows, which is paired with the window's outer loop.
  [[nodiscard]] std::size_t rowLoop() const {
    for (const auto& loops : root_.inputs[0].loops) {
      if (loops.size() > 1) {
        return loops.front();
      }
    }
    return parallel_[1];
  }

  const model::RootOperation& root_;
  const LoopRoles& roles_;
  std::vector<std::size_t> parallel_;  ///< innermost in the result first
};

/// Groups the reduction loops of an operation that is not a product.
LoopRoles groupReductions(const model::RootOperation& root) {
  LoopRoles roles;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const bool window = std::ranges::any_of(root.inputs[0].loops, [&](const auto& loops) {
      return loops.size() > 1 && std::ranges::find(loops, loop) != loops.end();
    });
    if (root.loops[loop].reduction) {
      (window ? roles.windows : roles.sums).push_back(loop);
    }
  }
  return roles;
}

/// Estimates loads per multiply, and idle threads.
double vulkanCost(const model::RootOperation& root, const VulkanConfig& config) {
  constexpr double kThreadsAtATime = 32;
  constexpr double kElementsInRegisters = 32;
  double elements = 1;
  double border = 0;  // elements loaded per reduction step
  double waste = 1;
  double workgroups = 1;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    if (config.thread[loop] == 0 || root.loops[loop].reduction) {
      continue;
    }
    const std::int64_t size = root.loops[loop].size;
    const std::int64_t share = std::max(config.workgroup[loop], config.thread[loop]);
    elements *= static_cast<double>(config.thread[loop]);
    border += static_cast<double>(config.thread[loop]);
    waste *= static_cast<double>(ceilDiv(size, share) * share) / static_cast<double>(size);
    workgroups *= static_cast<double>(ceilDiv(size, share));
  }
  double threads = 1;
  for (const std::int64_t count : workgroupSize(root, config)) {
    threads *= static_cast<double>(count);
  }
  double sums = 1;
  for (const std::int64_t size : config.reduction) {
    sums *= static_cast<double>(std::max<std::int64_t>(1, size));
  }
  const double idle = std::max(1.0, kThreadsAtATime / threads);
  const double spilled = std::max(0.0, elements / kElementsInRegisters - 1);
  return (1 + spilled + border / elements + 2 / (sums * elements)) * waste * idle +
         workgroups * 1e-6;
}

}  // namespace

Result<KnobModel> vulkanKnobs(const model::RootOperation& root) {
  HONE_CHECK(checkLoops(root));
  const bool product =
      root.kind == model::RootKind::contraction || root.kind == model::RootKind::convolution;
  const bool reduction = root.kind == model::RootKind::reduction;
  if ((!product && !reduction && root.kind != model::RootKind::elementwise) ||
      root.outputs.empty() || (reduction && root.inputs.empty())) {
    return userError("{}: no knobs for {} on Vulkan", root.dispatch, model::nameOf(root.kind));
  }
  // Smaller elements give wrong results on devices without 8- and 16-bit storage, whatever the
  // tiles.
  if (elementBytes(root.outputs[0].element) != 4) {
    return userError("{}: no knobs for element type {} on Vulkan", root.dispatch,
                     root.outputs[0].element);
  }
  LoopRoles roles;
  if (product) {
    roles = HONE_TRY(groupLoops(root));
  } else if (reduction) {
    roles = groupReductions(root);
  }
  Listing listing;
  listing.tilings = VulkanTilings(root, roles).tilings();
  listing.guess = [root](const Tiling& tiling) {
    return vulkanCost(root, VulkanConfig::from(tiling));
  };
  if (const auto byDefault = vulkanCompilerDefault(root)) {
    listing.byDefault = byDefault->tiling();
  }
  if (listing.tilings.empty()) {
    return userError("{}: no tiles for these sizes", root.dispatch);
  }
  return listedModel(vulkanForm(root), std::move(listing));
}

}  // namespace hone::knobs
