#include "knobs/cpu/cpu_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "knobs/config_text.h"

namespace hone::knobs {
namespace {

constexpr std::array<std::string_view, 7> kCpuPipelines = {"DoubleTilingExpert",
                                                           "ConvTileAndDecomposeExpert",
                                                           "Mmt4dTilingExpert",
                                                           "LinalgExtTileAndVectorize",
                                                           "DataTiling",
                                                           "BufferOpsTileAndVectorize",
                                                           "Default"};
constexpr std::string_view kPeeling = "enable_loop_peeling";

struct CpuLevel {
  std::string_view name;
  Sizes CpuConfig::* sizes;
};

constexpr std::array kCpuLevels = {CpuLevel{"distribution", &CpuConfig::distribution},
                                   CpuLevel{"cache_parallel", &CpuConfig::cacheParallel},
                                   CpuLevel{"cache_reduction", &CpuConfig::cacheReduction},
                                   CpuLevel{"vector_common_parallel", &CpuConfig::vectorParallel},
                                   CpuLevel{"vector_reduction", &CpuConfig::vectorReduction},
                                   CpuLevel{"vector_inner_parallel", &CpuConfig::vectorInner}};

}  // namespace

CpuConfig::CpuConfig(std::size_t loops) {
  for (const CpuLevel& level : kCpuLevels) {
    (this->*level.sizes).resize(loops);
  }
}

Tiling CpuConfig::tiling() const {
  Tiling tiling{{static_cast<std::int64_t>(pipeline), peel ? 1 : 0}, {}};
  for (const CpuLevel& level : kCpuLevels) {
    tiling.levels.push_back(this->*level.sizes);
  }
  return tiling;
}

CpuConfig CpuConfig::from(const Tiling& tiling) {
  CpuConfig config(tiling.levels.front().size());
  config.pipeline = static_cast<CpuPipeline>(tiling.options[0]);
  config.peel = tiling.options[1] != 0;
  for (std::size_t i = 0; i < kCpuLevels.size(); ++i) {
    config.*kCpuLevels[i].sizes = tiling.levels[i];
  }
  return config;
}

TilingForm cpuForm() {
  TilingForm form{{"pipeline", "loop_peeling"}, {}, {}, nullptr};
  for (const CpuLevel& level : kCpuLevels) {
    form.levels.emplace_back(level.name);
  }
  form.compilationInfo = [](const Tiling& tiling) {
    return compilationInfo(CpuConfig::from(tiling));
  };
  return form;
}

std::string compilationInfo(const CpuConfig& config) {
  std::vector<std::string> levels;
  for (const CpuLevel& level : kCpuLevels) {
    const Sizes& sizes = config.*level.sizes;
    const bool tiles = std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size != 0; });
    // Without a distribution level the compiler does not treat the operation as the root.
    if (tiles || level.sizes == &CpuConfig::distribution) {
      levels.push_back(fmt::format("{} = [{}]", level.name, fmt::join(sizes, ", ")));
    }
  }
  // Sorted like the compiler's output, so that both texts are equal.
  std::sort(levels.begin(), levels.end());
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<{}>, "
      "translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<{}>{}>>",
      fmt::join(levels, ", "), kCpuPipelines.at(static_cast<std::size_t>(config.pipeline)),
      config.peel ? fmt::format(", {{{}}}", kPeeling) : "");
}

std::optional<CpuConfig> cpuCompilerDefault(const model::RootOperation& root) {
  const auto known = std::find_if(
      kCpuPipelines.begin(), kCpuPipelines.end(),
      [&root](std::string_view pipeline) { return namesPipeline(root.translationInfo, pipeline); });
  if (known == kCpuPipelines.end()) {
    return std::nullopt;
  }
  CpuConfig config(root.loops.size());
  config.pipeline = static_cast<CpuPipeline>(known - kCpuPipelines.begin());
  config.peel = root.translationInfo.contains(kPeeling);
  for (const CpuLevel& level : kCpuLevels) {
    const std::string_view list = findEntry(root.loweringConfig, level.name);
    if (list.empty()) {
      continue;
    }
    auto sizes = parseNumbers(list);
    if (!sizes || sizes->size() != root.loops.size()) {
      return std::nullopt;
    }
    config.*level.sizes = std::move(*sizes);
  }
  return config;
}

}  // namespace hone::knobs
