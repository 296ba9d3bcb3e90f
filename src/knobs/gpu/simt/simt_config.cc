#include "knobs/gpu/simt/simt_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "knobs/config_text.h"

namespace hone::knobs {
namespace {

constexpr std::array<std::string_view, 2> kSimtPipelines = {"TileAndFuse", "VectorDistribute"};
constexpr std::string_view kPartialReduction = "partial_reduction";
constexpr std::string_view kSerial = "serial";

struct SimtLevel {
  std::string_view name;
  Sizes SimtConfig::* sizes;
};

constexpr std::array kSimtLevels = {
    SimtLevel{"workgroup", &SimtConfig::workgroup}, SimtLevel{"thread", &SimtConfig::thread},
    SimtLevel{"reduction", &SimtConfig::reduction}, SimtLevel{"lanes", &SimtConfig::lanes},
    SimtLevel{"subgroups", &SimtConfig::subgroups}};

std::string_view nameOf(SimtPipeline pipeline) {
  return kSimtPipelines.at(static_cast<std::size_t>(pipeline));
}

std::string listText(const Sizes& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

/// Formats a basis: the counts per loop, and the loops in order.
std::string basisText(const Sizes& counts) {
  Sizes loops(counts.size());
  std::iota(loops.begin(), loops.end(), 0);
  return fmt::format("[{}, {}]", listText(counts), listText(loops));
}

/// Formats a configuration that shares a loop among lanes and subgroups. `level` names the tile of
/// that loop.
std::string distributedText(std::string_view level, const SimtConfig& config) {
  return fmt::format("lane_basis = {}, {} = {}, subgroup_basis = {}, thread = {}",
                     basisText(config.lanes), level, listText(config.reduction),
                     basisText(config.subgroups), listText(config.thread));
}

std::string loweringText(const SimtConfig& config) {
  if (config.pipeline == SimtPipeline::vectorDistribute) {
    return fmt::format("{}, workgroup = {}", distributedText(kPartialReduction, config),
                       listText(config.workgroup));
  }
  const bool reduces =
      std::ranges::any_of(config.reduction, [](std::int64_t size) { return size != 0; });
  return fmt::format("{}{}thread = {}, workgroup = {}",
                     config.promote ? "promote_operands = [0, 1], " : "",
                     reduces ? fmt::format("reduction = {}, ", listText(config.reduction)) : "",
                     listText(config.thread), listText(config.workgroup));
}

/// Formats the options as the compiler sets them. Padding against bank conflicts only matters with
/// shared memory.
std::string optionsText(const model::RootOperation& root, const SimtConfig& config) {
  const bool shared = config.promote || config.pipeline == SimtPipeline::vectorDistribute;
  if (!shared && root.kind != model::RootKind::contraction) {
    return "";
  }
  return fmt::format(
      ", {{gpu_pipeline_options = #iree_gpu.pipeline_options<"
      "no_reduce_shared_memory_bank_conflicts = {}, use_igemm_convolution = false>}}",
      !shared);
}

/// Reads a list with one number per loop; missing numbers are 0.
std::optional<Sizes> readSizes(std::string_view list, std::size_t loops) {
  if (list.empty()) {
    return Sizes(loops);
  }
  auto sizes = parseNumbers(list);
  if (!sizes || sizes->size() > loops) {
    return std::nullopt;
  }
  sizes->resize(loops);
  return sizes;
}

}  // namespace

SimtConfig::SimtConfig(std::size_t loops)
    : workgroup(loops), thread(loops), reduction(loops), lanes(loops), subgroups(loops) {}

Tiling SimtConfig::tiling() const {
  Tiling tiling{{static_cast<std::int64_t>(pipeline), subgroupSize, promote ? 1 : 0}, {}};
  for (const SimtLevel& level : kSimtLevels) {
    tiling.levels.push_back(this->*level.sizes);
  }
  return tiling;
}

SimtConfig SimtConfig::from(const Tiling& tiling) {
  SimtConfig config(tiling.levels.front().size());
  config.pipeline = static_cast<SimtPipeline>(tiling.options[0]);
  config.subgroupSize = tiling.options[1];
  config.promote = tiling.options[2] != 0;
  for (std::size_t i = 0; i < kSimtLevels.size(); ++i) {
    config.*kSimtLevels[i].sizes = tiling.levels[i];
  }
  return config;
}

std::int64_t SimtConfig::threads() const {
  std::int64_t threads = pipeline == SimtPipeline::vectorDistribute ? subgroupSize : 1;
  for (std::size_t loop = 0; loop < workgroup.size(); ++loop) {
    if (pipeline == SimtPipeline::vectorDistribute) {
      threads *= std::max<std::int64_t>(1, subgroups[loop]);
    } else if (workgroup[loop] > 0 && thread[loop] > 0) {
      threads *= (workgroup[loop] + thread[loop] - 1) / thread[loop];
    }
  }
  return threads;
}

TilingForm simtForm(const model::RootOperation& root) {
  TilingForm form{.options = {"pipeline", "subgroup_size", "promote"},
                  .levels = {},
                  .compilationInfo = {},
                  .companions = nullptr};
  for (const SimtLevel& level : kSimtLevels) {
    form.levels.emplace_back(level.name);
  }
  form.compilationInfo = [root](const Tiling& tiling) {
    return compilationInfo(root, SimtConfig::from(tiling));
  };
  if (!root.companions.empty()) {
    form.companions = [root](const Tiling& tiling) {
      return companionConfigs(root, SimtConfig::from(tiling));
    };
  }
  return form;
}

std::string compilationInfo(const model::RootOperation& root, const SimtConfig& config) {
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{{{}}}>, "
      "translation_info = <pipeline = #iree_gpu.pipeline<{}> workgroup_size = [{}, 1, 1] "
      "subgroup_size = {}{}>>",
      loweringText(config), nameOf(config.pipeline), config.threads(), config.subgroupSize,
      optionsText(root, config));
}

std::optional<std::size_t> distributedLoop(const model::CompanionOperation& companion) {
  const auto threads = parseNumbers(findEntry(companion.loweringConfig, "thread"));
  if (!threads || findEntry(companion.loweringConfig, "lane_basis").empty()) {
    return std::nullopt;
  }
  for (std::size_t loop = threads->size(); loop-- > 0;) {
    if ((*threads)[loop] > 0 && loop < companion.loops.size()) {
      return loop;
    }
  }
  return std::nullopt;
}

bool hasSameLoops(const model::CompanionOperation& companion, const model::RootOperation& root) {
  return std::ranges::equal(
      companion.loops, root.loops,
      [](const model::Loop& a, const model::Loop& b) { return a.size == b.size; });
}

std::vector<CompanionConfig> companionConfigs(const model::RootOperation& root,
                                              const SimtConfig& config) {
  std::vector<CompanionConfig> configs;
  if (config.pipeline != SimtPipeline::vectorDistribute) {
    return configs;
  }
  const auto shared = static_cast<std::size_t>(std::ranges::max_element(config.reduction) -
                                               config.reduction.begin());
  for (const model::CompanionOperation& companion : root.companions) {
    const auto loop = distributedLoop(companion);
    const bool reduces = !findEntry(companion.loweringConfig, kPartialReduction).empty();
    const std::string_view level = reduces ? kPartialReduction : kSerial;
    SimtConfig own(companion.loops.size());
    if (hasSameLoops(companion, root)) {
      own = config;
    } else if (loop) {
      std::ranges::fill(own.lanes, 1);
      std::ranges::fill(own.subgroups, 1);
      own.reduction = readSizes(findEntry(companion.loweringConfig, level), companion.loops.size())
                          .value_or(own.reduction);
      own.thread[*loop] = config.thread[shared];
      own.reduction[*loop] = config.reduction[shared];
      own.lanes[*loop] = config.lanes[shared];
      own.subgroups[*loop] = config.subgroups[shared];
    }
    configs.push_back({companion.op, fmt::format("#iree_gpu.lowering_config<{{{}}}>",
                                                 distributedText(level, own))});
  }
  return configs;
}

std::int64_t parseSubgroupSize(std::string_view translationInfo) {
  const std::string text(findEntry(translationInfo, "subgroup_size").substr(0, 8));
  return std::strtol(text.c_str(), nullptr, 10);
}

std::optional<SimtConfig> simtCompilerDefault(const model::RootOperation& root) {
  SimtConfig config(root.loops.size());
  const bool shares = namesPipeline(root.translationInfo, kSimtPipelines[1]);
  const std::string_view lowering = root.loweringConfig;
  if ((!shares && !namesPipeline(root.translationInfo, kSimtPipelines[0])) ||
      !findEntry(lowering, "mma_kind").empty()) {
    return std::nullopt;
  }
  config.pipeline = shares ? SimtPipeline::vectorDistribute : SimtPipeline::tileAndFuse;
  config.promote = !findEntry(lowering, "promote_operands").empty();
  config.subgroupSize = parseSubgroupSize(root.translationInfo);
  const std::array<std::string_view, kSimtLevels.size()> lists = {
      findEntry(lowering, "workgroup"), findEntry(lowering, "thread"),
      findEntry(lowering, shares ? kPartialReduction : "reduction"),
      listElement(findEntry(lowering, "lane_basis"), 0),
      listElement(findEntry(lowering, "subgroup_basis"), 0)};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    auto sizes = readSizes(lists[i], root.loops.size());
    if (!sizes) {
      return std::nullopt;
    }
    config.*kSimtLevels[i].sizes = std::move(*sizes);
  }
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    config.workgroup[loop] = root.loops[loop].reduction ? 0 : config.workgroup[loop];
  }
  const auto threads = parseNumbers(findEntry(root.translationInfo, "workgroup_size"));
  std::int64_t count = 1;
  for (const std::int64_t one : threads.value_or(Sizes())) {
    count *= one;
  }
  return count == config.threads() ? std::optional(config) : std::nullopt;
}

}  // namespace hone::knobs
