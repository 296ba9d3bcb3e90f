#include "knobs/named_config.h"

#include "knobs/cpu/cpu_named.h"
#include "knobs/gpu/gpu_named.h"
#include "knobs/pipeline_text.h"
#include "knobs/problem_root.h"
#include "knobs/vulkan/vulkan_named.h"
#include "model/problem/element_type.h"

namespace hone::knobs {
namespace {

Result<std::vector<NamedConfig>> listNamedConfigs(iree::Compiler& compiler,
                                                  const iree::Target& target,
                                                  const model::Problem& problem) {
  if (target.name.starts_with("cuda:") || target.name.starts_with("rocm:")) {
    return gpuNamedConfigs(compiler, target, problem);
  }
  const auto root = rootFrom(problem);
  if (root && target.name == "local") {
    return cpuNamedConfigs(*root, detectCpuLimits());
  }
  if (root && (target.name == "vulkan" || target.name.starts_with("vulkan:"))) {
    return vulkanNamedConfigs(*root);
  }
  return std::vector<NamedConfig>();
}

}  // namespace

Result<std::vector<NamedConfig>> namedConfigs(iree::Compiler& compiler, const iree::Target& target,
                                              const model::Problem& problem) {
  auto configs = HONE_TRY(listNamedConfigs(compiler, target, problem));
  for (NamedConfig& config : configs) {
    config.compilationInfo = fitPipeline(std::move(config.compilationInfo), compiler.revision());
  }
  return configs;
}

std::string vectorInstruction(const model::RootOperation& root) {
  const auto result = model::elementTypeFrom(root.outputs.at(0).element);
  return result && model::isFloat(*result) ? "fma" : "simd";
}

}  // namespace hone::knobs
