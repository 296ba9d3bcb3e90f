#include "profile/tuning.h"

#include "model/result/profile_row.h"
#include "profile/tuning_cpu.h"
#include "profile/tuning_gpu.h"
#include "profile/tuning_vulkan.h"

namespace hone::profile {

TuningConfig defaultConfig() {
  return {std::string(model::kDefaultConfiguration), "Default", "Default", "Default", "", 0};
}

Result<std::vector<TuningConfig>> tuningConfigs(iree::Compiler& compiler,
                                                const iree::Target& target,
                                                const model::Problem& problem) {
  std::vector<TuningConfig> more;
  if (target.name == "local") {
    more = cpuConfigs(problem);
  } else if (target.name == "vulkan" || target.name.starts_with("vulkan:")) {
    more = vulkanConfigs(problem);
  } else if (target.name.starts_with("cuda:") || target.name.starts_with("rocm:")) {
    more = HONE_TRY(gpuConfigs(compiler, target, problem));
  }
  more.insert(more.begin(), defaultConfig());
  return more;
}

}  // namespace hone::profile
