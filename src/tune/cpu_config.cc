#include "tune/cpu_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace hone::tune {
namespace {

constexpr std::array<std::string_view, 7> kPipelines = {"DoubleTilingExpert",
                                                        "ConvTileAndDecomposeExpert",
                                                        "Mmt4dTilingExpert",
                                                        "LinalgExtTileAndVectorize",
                                                        "DataTiling",
                                                        "BufferOpsTileAndVectorize",
                                                        "Default"};
constexpr std::string_view kPeeling = "enable_loop_peeling";

struct Level {
  std::string_view name;
  Sizes CpuConfig::* sizes;
};

constexpr std::array kLevels = {Level{"distribution", &CpuConfig::distribution},
                                Level{"cache_parallel", &CpuConfig::cacheParallel},
                                Level{"cache_reduction", &CpuConfig::cacheReduction},
                                Level{"vector_common_parallel", &CpuConfig::vectorParallel},
                                Level{"vector_reduction", &CpuConfig::vectorReduction},
                                Level{"vector_inner_parallel", &CpuConfig::vectorInner}};

/// The text between a mark and the next closing character.
std::optional<std::string_view> between(std::string_view text, std::string_view mark, char close) {
  const auto begin = text.find(mark);
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  const auto rest = text.substr(begin + mark.size());
  return rest.substr(0, rest.find(close));
}

/// The numbers of a level; nothing where one is not a plain number.
std::optional<Sizes> sizesOf(std::string_view list) {
  Sizes sizes;
  for (const std::string& part : splitAt(list, ',')) {
    const auto size = parseInt(trim(part));
    if (!size) {
      return std::nullopt;
    }
    sizes.push_back(*size);
  }
  return sizes;
}

}  // namespace

CpuConfig::CpuConfig(std::size_t loops) {
  for (const Level& level : kLevels) {
    (this->*level.sizes).resize(loops);
  }
}

Tiling CpuConfig::tiling() const {
  Tiling tiling{{static_cast<std::int64_t>(pipeline), peel ? 1 : 0}, {}};
  for (const Level& level : kLevels) {
    tiling.levels.push_back(this->*level.sizes);
  }
  return tiling;
}

CpuConfig CpuConfig::from(const Tiling& tiling) {
  CpuConfig config(tiling.levels.front().size());
  config.pipeline = static_cast<CpuPipeline>(tiling.options[0]);
  config.peel = tiling.options[1] != 0;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    config.*kLevels[i].sizes = tiling.levels[i];
  }
  return config;
}

TilingForm cpuForm() {
  TilingForm form{{"pipeline", "loop_peeling"}, {}, {}};
  for (const Level& level : kLevels) {
    form.levels.emplace_back(level.name);
  }
  form.compilationInfo = [](const Tiling& tiling) {
    return compilationInfo(CpuConfig::from(tiling));
  };
  return form;
}

std::string compilationInfo(const CpuConfig& config) {
  std::vector<std::string> levels;
  for (const Level& level : kLevels) {
    const Sizes& sizes = config.*level.sizes;
    const bool tiles = std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size != 0; });
    // Without a distribution the compiler does not take the operation for the root.
    if (tiles || level.sizes == &CpuConfig::distribution) {
      levels.push_back(fmt::format("{} = [{}]", level.name, fmt::join(sizes, ", ")));
    }
  }
  // The compiler prints them sorted; so that its text and ours are the same.
  std::sort(levels.begin(), levels.end());
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<{}>, "
      "translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<{}>{}>>",
      fmt::join(levels, ", "), kPipelines.at(static_cast<std::size_t>(config.pipeline)),
      config.peel ? fmt::format(", {{{}}}", kPeeling) : "");
}

std::optional<CpuConfig> defaultOf(const model::RootOperation& root) {
  const auto pipeline = between(root.translationInfo, "#iree_cpu.pipeline<", '>');
  if (!pipeline) {
    return std::nullopt;
  }
  const auto known = std::find(kPipelines.begin(), kPipelines.end(), trim(*pipeline));
  if (known == kPipelines.end()) {
    return std::nullopt;
  }
  CpuConfig config(root.loops.size());
  config.pipeline = static_cast<CpuPipeline>(known - kPipelines.begin());
  config.peel = root.translationInfo.contains(kPeeling);
  for (const Level& level : kLevels) {
    const auto list = between(root.loweringConfig, fmt::format("{} = [", level.name), ']');
    if (!list) {
      continue;
    }
    auto sizes = sizesOf(*list);
    if (!sizes || sizes->size() != root.loops.size()) {
      return std::nullopt;
    }
    config.*level.sizes = std::move(*sizes);
  }
  return config;
}

}  // namespace hone::tune
