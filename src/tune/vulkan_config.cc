#include "tune/vulkan_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace hone::tune {
namespace {

struct Level {
  std::string_view name;
  Sizes VulkanConfig::* sizes;
};

constexpr std::array kLevels = {
    Level{"workgroup", &VulkanConfig::workgroup}, Level{"thread", &VulkanConfig::thread},
    Level{"reduction", &VulkanConfig::reduction}, Level{"window", &VulkanConfig::window}};
constexpr std::array<std::string_view, 2> kPipelines = {"BaseDistribute", "BaseVectorize"};

/// The compiler writes no zeros at the end of a level.
Sizes trimmed(Sizes sizes) {
  while (!sizes.empty() && sizes.back() == 0) {
    sizes.pop_back();
  }
  return sizes;
}

/// The lists of "[[1, 2], [3]]".
std::optional<std::vector<Sizes>> listsOf(std::string_view text) {
  std::vector<Sizes> lists;
  for (std::size_t at = 0; (at = text.find('[', at)) != std::string_view::npos;) {
    if (text.substr(++at).starts_with('[')) {
      continue;
    }
    const auto end = text.find(']', at);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    Sizes sizes;
    for (const std::string& part : splitAt(text.substr(at, end - at), ',')) {
      if (trim(part).empty()) {
        continue;
      }
      const auto size = parseInt(trim(part));
      if (!size) {
        return std::nullopt;
      }
      sizes.push_back(*size);
    }
    lists.push_back(std::move(sizes));
    at = end;
  }
  return lists;
}

}  // namespace

VulkanConfig::VulkanConfig(std::size_t loops)
    : workgroup(loops), thread(loops), reduction(loops), window(loops) {}

Tiling VulkanConfig::tiling() const {
  return {{vectorize ? 1 : 0}, {workgroup, thread, reduction, window}};
}

VulkanConfig VulkanConfig::from(const Tiling& tiling) {
  VulkanConfig config(tiling.levels.front().size());
  config.vectorize = tiling.options[0] != 0;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    config.*kLevels[i].sizes = tiling.levels[i];
  }
  return config;
}

Sizes workgroupSize(const model::RootOperation& root, const VulkanConfig& config) {
  Sizes threads;
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
  TilingForm form{{"pipeline"}, {}, {}};
  for (const Level& level : kLevels) {
    form.levels.emplace_back(level.name);
  }
  form.compilationInfo = [root](const Tiling& tiling) {
    return compilationInfo(root, VulkanConfig::from(tiling));
  };
  return form;
}

std::string compilationInfo(const model::RootOperation& root, const VulkanConfig& config) {
  std::vector<std::string> levels;
  for (const Level& level : kLevels) {
    levels.push_back(fmt::format("[{}]", fmt::join(trimmed(config.*level.sizes), ", ")));
  }
  while (!levels.empty() && levels.back() == "[]") {
    levels.pop_back();
  }
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_codegen.lowering_config<tile_sizes = "
      "[{}]>, translation_info = #iree_codegen.translation_info<pipeline = "
      "#iree_gpu.spirv_pipeline<{}> workgroup_size = [{}]>>",
      fmt::join(levels, ", "), kPipelines.at(config.vectorize ? 1 : 0),
      fmt::join(workgroupSize(root, config), ", "));
}

std::optional<VulkanConfig> vulkanDefaultOf(const model::RootOperation& root) {
  const auto levels = listsOf(root.loweringConfig);
  const std::string& info = root.translationInfo;
  const auto size = info.find("workgroup_size = ");
  if (!levels || size == std::string::npos || levels->size() > kLevels.size()) {
    return std::nullopt;
  }
  VulkanConfig config(root.loops.size());
  config.vectorize = info.contains(kPipelines[1]);
  if (!config.vectorize && !info.contains(kPipelines[0])) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < levels->size(); ++i) {
    Sizes sizes = (*levels)[i];
    if (sizes.size() > root.loops.size()) {
      return std::nullopt;
    }
    sizes.resize(root.loops.size());
    config.*kLevels[i].sizes = std::move(sizes);
  }
  const auto threads = listsOf(info.substr(size));
  const bool same = threads && !threads->empty() && threads->front() == workgroupSize(root, config);
  return same ? std::optional(config) : std::nullopt;
}

}  // namespace hone::tune
