#include "knobs/gpu/simt/gpu_simt.h"

#include <fmt/ranges.h>

#include <array>
#include <cstdint>

#include "knobs/loop_roles.h"

namespace hone::knobs {
namespace {

/// Tile of a workgroup, and its part per thread.
struct SimtTile {
  std::int64_t m, n, k;
  std::int64_t threadM, threadN;

  [[nodiscard]] std::int64_t threads() const { return m / threadM * (n / threadN); }
};

// 256 threads each: 8 warps, and at most 128 accumulators per thread.
constexpr std::array kSimtTiles = {
    SimtTile{128, 256, 16, 8, 16}, SimtTile{256, 128, 16, 16, 8}, SimtTile{128, 128, 16, 8, 8},
    SimtTile{128, 128, 32, 8, 8},  SimtTile{128, 64, 32, 8, 4},   SimtTile{128, 64, 16, 8, 4},
    SimtTile{64, 64, 32, 4, 4},    SimtTile{64, 64, 16, 4, 4},
};

std::string simtCompilationInfo(const model::RootOperation& root, const LoopRoles& roles,
                                const SimtTile& tile) {
  std::vector<std::int64_t> workgroup(root.loops.size());
  std::vector<std::int64_t> thread(root.loops.size());
  std::vector<std::int64_t> reduction(root.loops.size());
  for (const std::size_t batch : roles.batch) {
    workgroup[batch] = thread[batch] = 1;
  }
  workgroup[roles.rows.back()] = tile.m;
  workgroup[roles.columns.back()] = tile.n;
  thread[roles.rows.back()] = tile.threadM;
  thread[roles.columns.back()] = tile.threadN;
  reduction[roles.sums.back()] = tile.k;
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<"
      "{{promote_operands = [0, 1], reduction = [{}], thread = [{}], workgroup = [{}]}}>, "
      "translation_info = <pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [{}, 1, 1] "
      "subgroup_size = 32, {{gpu_pipeline_options = #iree_gpu.pipeline_options<"
      "no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}}>>",
      fmt::join(reduction, ", "), fmt::join(thread, ", "), fmt::join(workgroup, ", "),
      tile.threads());
}

}  // namespace

Result<std::vector<NamedConfig>> simtNamedConfigs(const model::RootOperation& root) {
  if (root.kind != model::RootKind::contraction || root.inputs[0].element != "f32") {
    return std::vector<NamedConfig>();
  }
  const LoopRoles roles = HONE_TRY(groupLoops(root));
  std::vector<NamedConfig> configs;
  for (const SimtTile& tile : kSimtTiles) {
    if (root.loops[roles.rows.back()].size % tile.m != 0 ||
        root.loops[roles.columns.back()].size % tile.n != 0 ||
        root.loops[roles.sums.back()].size % tile.k != 0) {
      continue;
    }
    // One stage: the compiler does not prefetch on NVIDIA GPUs.
    configs.push_back({.tile = fmt::format("{}{}x{}_{}x1", roles.batch.empty() ? "" : "1x", tile.m,
                                           tile.n, tile.k),
                       .coreClass = "simt",
                       .instructionClass = vectorInstruction(root),
                       .compilationInfo = simtCompilationInfo(root, roles, tile)});
  }
  return configs;
}

}  // namespace hone::knobs
