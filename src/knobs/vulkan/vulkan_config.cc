#include "knobs/vulkan/vulkan_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "knobs/config_text.h"

namespace hone::knobs {
namespace {

struct VulkanLevel {
  std::string_view name;
  Sizes VulkanConfig::* sizes;
};

constexpr std::array kVulkanLevels = {VulkanLevel{"workgroup", &VulkanConfig::workgroup},
                                      VulkanLevel{"thread", &VulkanConfig::thread},
                                      VulkanLevel{"reduction", &VulkanConfig::reduction},
                                      VulkanLevel{"window", &VulkanConfig::window}};
constexpr std::array<std::string_view, 3> kVulkanPipelines = {"BaseDistribute", "BaseVectorize",
                                                              "SubgroupReduce"};

std::string_view nameOf(VulkanPipeline pipeline) {
  return kVulkanPipelines.at(static_cast<std::size_t>(pipeline));
}

/// Removes trailing zeros, which the compiler does not print.
Sizes trimmed(Sizes sizes) {
  while (!sizes.empty() && sizes.back() == 0) {
    sizes.pop_back();
  }
  return sizes;
}

}  // namespace

VulkanConfig::VulkanConfig(std::size_t loops)
    : workgroup(loops), thread(loops), reduction(loops), window(loops) {}

Tiling VulkanConfig::tiling() const {
  return {{static_cast<std::int64_t>(pipeline)}, {workgroup, thread, reduction, window}};
}

VulkanConfig VulkanConfig::from(const Tiling& tiling) {
  VulkanConfig config(tiling.levels.front().size());
  config.pipeline = static_cast<VulkanPipeline>(tiling.options[0]);
  for (std::size_t i = 0; i < kVulkanLevels.size(); ++i) {
    config.*kVulkanLevels[i].sizes = tiling.levels[i];
  }
  return config;
}

Sizes workgroupSize(const model::RootOperation& root, const VulkanConfig& config) {
  Sizes threads;
  if (config.pipeline == VulkanPipeline::subgroupReduce) {
    std::int64_t sharing = 1;
    for (std::size_t loop = 0; loop < config.reduction.size(); ++loop) {
      if (config.reduction[loop] > 0 && config.thread[loop] > 0) {
        sharing *= config.reduction[loop] / config.thread[loop];
      }
    }
    return {sharing, 1, 1};
  }
  const auto& dimensions = root.outputs.at(0).loops;
  for (auto loops = dimensions.rbegin(); loops != dimensions.rend() && threads.size() < 3;
       ++loops) {
    if (loops->size() == 1) {
      const std::size_t loop = loops->front();
      const bool tiled = config.workgroup[loop] > 0 && config.thread[loop] > 0;
      threads.push_back(tiled ? config.workgroup[loop] / config.thread[loop] : 1);
    }
  }
  threads.resize(3, 1);
  return threads;
}

TilingForm vulkanForm(const model::RootOperation& root) {
  TilingForm form{{"pipeline"}, {}, {}, nullptr};
  for (const VulkanLevel& level : kVulkanLevels) {
    form.levels.emplace_back(level.name);
  }
  form.compilationInfo = [root](const Tiling& tiling) {
    return compilationInfo(root, VulkanConfig::from(tiling));
  };
  if (!root.companions.empty()) {
    form.companions = [root](const Tiling& tiling) {
      return companionConfigs(root, VulkanConfig::from(tiling));
    };
  }
  return form;
}

std::string compilationInfo(const model::RootOperation& root, const VulkanConfig& config) {
  std::vector<std::string> levels;
  for (const VulkanLevel& level : kVulkanLevels) {
    // The compiler derives the thread's part of a shared reduction from the workgroup size.
    const bool derived =
        config.pipeline == VulkanPipeline::subgroupReduce && level.sizes == &VulkanConfig::thread;
    if (!derived) {
      levels.push_back(fmt::format("[{}]", fmt::join(trimmed(config.*level.sizes), ", ")));
    }
  }
  while (!levels.empty() && levels.back() == "[]") {
    levels.pop_back();
  }
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_codegen.lowering_config<tile_sizes = "
      "[{}]>, translation_info = #iree_codegen.translation_info<pipeline = "
      "#iree_gpu.spirv_pipeline<{}> workgroup_size = [{}]>>",
      fmt::join(levels, ", "), nameOf(config.pipeline),
      fmt::join(workgroupSize(root, config), ", "));
}

std::vector<CompanionConfig> companionConfigs(const model::RootOperation& root,
                                              const VulkanConfig& config) {
  std::vector<CompanionConfig> configs;
  if (config.pipeline != VulkanPipeline::subgroupReduce) {
    return configs;
  }
  for (const model::CompanionOperation& companion : root.companions) {
    configs.push_back(
        {companion.op, fmt::format("#iree_codegen.lowering_config<tile_sizes = [[], [{}]]>",
                                   fmt::join(config.reduction, ", "))});
  }
  return configs;
}

bool sharesReductions(const model::RootOperation& root) {
  return namesPipeline(root.translationInfo, nameOf(VulkanPipeline::subgroupReduce));
}

std::optional<VulkanConfig> vulkanCompilerDefault(const model::RootOperation& root) {
  const std::string& info = root.translationInfo;
  VulkanConfig config(root.loops.size());
  const bool vectorizes = namesPipeline(info, nameOf(VulkanPipeline::vectorize));
  if (!vectorizes && !namesPipeline(info, nameOf(VulkanPipeline::distribute))) {
    return std::nullopt;
  }
  config.pipeline = vectorizes ? VulkanPipeline::vectorize : VulkanPipeline::distribute;
  const std::string_view levels = findEntry(root.loweringConfig, "tile_sizes");
  if (!listElement(levels, kVulkanLevels.size()).empty()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kVulkanLevels.size(); ++i) {
    const std::string_view list = listElement(levels, i);
    if (list.empty()) {
      break;
    }
    auto sizes = parseNumbers(list);
    if (!sizes || sizes->size() > root.loops.size()) {
      return std::nullopt;
    }
    sizes->resize(root.loops.size());
    config.*kVulkanLevels[i].sizes = std::move(*sizes);
  }
  const bool same = parseNumbers(findEntry(info, "workgroup_size")) == workgroupSize(root, config);
  return same ? std::optional(config) : std::nullopt;
}

}  // namespace hone::knobs
