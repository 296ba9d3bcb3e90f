#include "profile/tuning.h"

#include <algorithm>

#include "profile/tuning_cpu.h"
#include "profile/tuning_gpu.h"
#include "profile/tuning_vulkan.h"

namespace hone::profile {
namespace {

/// The loops of the operation. The compiler folds those that run once, and the attribute of the
/// operation gets lost with them.
std::vector<std::int64_t> loopSizes(const model::Problem& problem) {
  if (const auto* matmul = std::get_if<model::Matmul>(&problem)) {
    return {matmul->batch, matmul->m, matmul->n, matmul->k};
  }
  if (const auto* conv = std::get_if<model::Conv>(&problem)) {
    return {conv->n, conv->outH(), conv->outW(), conv->k, conv->y, conv->x, conv->c};
  }
  const auto& attention = std::get<model::Attention>(problem);
  return {attention.batch, attention.queries, attention.keys, attention.depth};
}

}  // namespace

TuningConfig tuningConfig(std::string tile, std::string coreClass, std::string instructionClass,
                          std::string compilationInfo) {
  std::string name = fmt::format("tile_config_{}_{}_{}", tile, coreClass, instructionClass);
  return {std::move(name),
          std::move(tile),
          std::move(coreClass),
          std::move(instructionClass),
          std::move(compilationInfo),
          0};
}

TuningConfig defaultConfig() {
  return {"tile_config_default", "Default", "Default", "Default", "", 0};
}

Result<std::vector<TuningConfig>> tuningConfigs(iree::Compiler& compiler,
                                                const iree::Target& target,
                                                const model::Problem& problem) {
  std::vector<TuningConfig> configs = {defaultConfig()};
  const std::vector<std::int64_t> loops = loopSizes(problem);
  if (std::find(loops.begin(), loops.end(), 1) != loops.end()) {
    return configs;
  }
  std::vector<TuningConfig> more;
  if (target.name == "local") {
    more = cpuConfigs(problem);
  } else if (target.name == "vulkan" || target.name.starts_with("vulkan:")) {
    more = vulkanConfigs(problem);
  } else if (target.name.starts_with("cuda:") || target.name.starts_with("rocm:")) {
    more = HONE_TRY(gpuConfigs(compiler, target, problem));
  }
  configs.insert(configs.end(), more.begin(), more.end());
  return configs;
}

}  // namespace hone::profile
