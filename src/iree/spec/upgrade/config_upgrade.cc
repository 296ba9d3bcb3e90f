#include "iree/spec/upgrade/config_upgrade.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "iree/mlir/attribute_text.h"
#include "iree/spec/upgrade/old_names.h"

namespace hone::iree {
namespace {

using AttributeKind = AttributeText::Kind;

constexpr std::string_view kGpuConfig = "#iree_gpu.lowering_config";
constexpr std::string_view kCpuConfig = "#iree_cpu.lowering_config";
constexpr std::string_view kTilingConfig = "#iree_codegen.lowering_config";

AttributeText namedAttribute(std::string_view name, std::string value) {
  AttributeText attribute;
  attribute.kind = AttributeKind::named;
  attribute.text = name;
  attribute.members.emplace_back("", AttributeText::plain(std::move(value)));
  return attribute;
}

/// Rewrites one configuration and notes the changes.
class ConfigWriter {
 public:
  explicit ConfigWriter(const LoopInfo& loops) : loops_(loops) {}

  ConfigUpgrade upgrade(std::string_view text);

 private:
  void changed(std::string what) {
    if (std::ranges::count(result_.changes, what) == 0) {
      result_.changes.push_back(std::move(what));
    }
  }
  void fail(std::string why) {
    if (result_.failure.empty()) {
      result_.failure = std::move(why);
    }
  }

  void upgradeInfo(AttributeText& info);
  void upgradePipeline(AttributeText& translation);
  void upgradeOptions(AttributeText& translation);
  void moveOldOptions(AttributeText& dictionary);
  void upgradeLowering(AttributeText& lowering, const AttributeText* schedule);
  void upgradeGpu(AttributeText& lowering);
  /// Rewrites the counts of subgroups; `left` are loops that the operation does not have.
  void upgradeSubgroups(AttributeText& dictionary, const std::vector<std::int64_t>& left);
  void upgradeDecomposition(AttributeText& dictionary);
  /// Fails if the tiles do not divide the loops, which only a pipeline with padding supports.
  void requireWholeTiles(AttributeText& lowering);
  void tilesToGpu(AttributeText& lowering, const AttributeText* schedule);
  void tilesToCpu(AttributeText& lowering);
  void renameIntrinsics(AttributeText& attribute);

  const LoopInfo& loops_;
  std::string pipeline_;  ///< "VectorDistribute"
  std::string family_;    ///< "#iree_gpu.pipeline"
  bool padded_ = false;   ///< the old pipeline padded the loops
  ConfigUpgrade result_;
};

void ConfigWriter::renameIntrinsics(AttributeText& attribute) {
  const bool layout =
      attribute.kind == AttributeKind::named && attribute.text.ends_with("mma_layout");
  for (auto& [name, member] : attribute.members) {
    if (layout && name == "intrinsic") {
      changed(fmt::format("the intrinsic of {} has no name now", attribute.text));
      name.clear();
    }
    if (layout && name.empty()) {
      const std::string current = currentIntrinsic(member.text);
      if (current != member.text) {
        changed(fmt::format("intrinsic {} is {} now", member.text, current));
        member.text = current;
      }
    }
    renameIntrinsics(member);
  }
}

void ConfigWriter::upgradePipeline(AttributeText& translation) {
  // Until November 2024 the pipeline had no name: <LLVMGPUTileAndFuse workgroup_size = …>.
  if (!translation.members.empty() && translation.members.front().name.empty() &&
      translation.members.front().value.kind == AttributeKind::plain) {
    translation.members.front().name = "pipeline";
  }
  AttributeText* pipeline = translation.find("pipeline");
  if (pipeline == nullptr) {
    fail("its translation_info has no pipeline");
    return;
  }
  if (pipeline->kind == AttributeKind::plain && !pipeline->text.starts_with('#')) {
    const auto current = currentPipeline(pipeline->text);
    if (!current) {
      fail(fmt::format("this compiler has no pipeline {}", pipeline->text));
      return;
    }
    padded_ = pipeline->text == kPaddingPipeline;
    changed(fmt::format("pipeline {} is {} now", pipeline->text, *current));
    *pipeline = *parseAttribute(*current);
  }
  family_ = pipeline->text;
  pipeline_ = pipeline->members.empty() ? "" : pipeline->members.front().value.text;
  for (const std::string_view stale : {"pipeline_depth", "store_stage"}) {
    if (translation.find(stale) != nullptr) {
      changed(fmt::format("{} does not exist any more", stale));
      translation.erase(stale);
    }
  }
}

void ConfigWriter::moveOldOptions(AttributeText& dictionary) {
  AttributeText options;
  options.kind = AttributeKind::named;
  options.text = "#iree_gpu.pipeline_options";
  const auto isSet = [&](std::string_view name) {
    const AttributeText* value = dictionary.find(name);
    return value != nullptr && value->text != "false";
  };
  if (isSet("prefetch_shared_memory")) {
    options.set("prefetch_num_stages", AttributeText::plain("2"));
  }
  if (isSet("no_reduce_shared_memory_bank_conflicts")) {
    options.set("no_reduce_shared_memory_bank_conflicts", AttributeText::plain("true"));
  }
  if (const AttributeText* order = dictionary.find("reorder_workgroups")) {
    const std::string name = toLower(order->text);
    options.set("reorder_workgroups_strategy",
                namedAttribute("", name.contains("transpose") ? "Transpose"
                                   : name.contains("swizzle") ? "Swizzle"
                                                              : "None"));
  }
  for (const std::string_view name :
       {"prefetch_shared_memory", "no_reduce_shared_memory_bank_conflicts", "reorder_workgroups"}) {
    if (dictionary.find(name) != nullptr) {
      changed(fmt::format("{} is an option of #iree_gpu.pipeline_options now", name));
      dictionary.erase(name);
    }
  }
  if (!options.members.empty()) {
    dictionary.set("gpu_pipeline_options", std::move(options));
  }
}

void ConfigWriter::upgradeOptions(AttributeText& translation) {
  AttributeText* dictionary = translation.findDictionary();
  if (dictionary == nullptr) {
    return;
  }
  moveOldOptions(*dictionary);
  dictionary->erase("mma_schedule");
  if (AttributeText* options = dictionary->find("gpu_pipeline_options")) {
    if (const AttributeText* prefetch = options->find("prefetch_shared_memory")) {
      const std::string stages = prefetch->text == "false" ? "0" : "2";
      changed(fmt::format("prefetch_shared_memory = {} is prefetch_num_stages = {} now",
                          prefetch->text, stages));
      options->erase("prefetch_shared_memory");
      options->members.insert(options->members.begin(),
                              AttributeMember{"prefetch_num_stages", AttributeText::plain(stages)});
    }
    AttributeText* order = options->find("reorder_workgroups_strategy");
    if (order != nullptr && order->kind == AttributeKind::plain) {
      changed("reorder_workgroups_strategy has angle brackets now");
      *order = namedAttribute("", order->text);
    }
  }
  if (dictionary->members.empty()) {
    std::erase_if(translation.members, [](const auto& member) {
      return member.name.empty() && member.value.kind == AttributeKind::dictionary;
    });
  }
}

void ConfigWriter::upgradeSubgroups(AttributeText& dictionary,
                                    const std::vector<std::int64_t>& left) {
  const AttributeText* m = dictionary.find("subgroup_m_count");
  const AttributeText* n = dictionary.find("subgroup_n_count");
  if (m == nullptr && n == nullptr) {
    return;
  }
  const auto countIn = [](const AttributeText* count) {
    const auto numbers = count == nullptr ? std::vector<std::int64_t>() : count->numbers();
    return numbers.empty() ? std::int64_t{1} : numbers.front();
  };
  const std::int64_t rows = countIn(m);
  const std::int64_t columns = countIn(n);
  dictionary.erase("subgroup_m_count");
  dictionary.erase("subgroup_n_count");
  if (pipeline_ == "TileAndFuse") {
    changed("subgroup_m_count and subgroup_n_count have no effect in TileAndFuse; dropped");
    return;
  }
  if (dictionary.find("subgroup_basis") != nullptr) {
    return;
  }
  if (loops_.count == 0 || loops_.m.empty() || loops_.n.empty()) {
    result_.needsProgram = true;
    fail(
        "subgroup_m_count and subgroup_n_count are subgroup_basis now, which needs the loops of "
        "the operation; its matcher does not state them");
    return;
  }
  std::vector<std::int64_t> counts(loops_.count, 1);
  counts[static_cast<std::size_t>(loops_.m.back())] = rows;
  if (columns > 1 || std::ranges::count(left, loops_.n.back()) == 0) {
    counts[static_cast<std::size_t>(loops_.n.back())] = columns;
  }
  std::vector<std::int64_t> order;
  for (std::int64_t loop = 0; std::cmp_less(loop, loops_.count); ++loop) {
    if (std::ranges::count(left, loop) == 0) {
      order.push_back(loop);
    }
  }
  AttributeText basis;
  basis.kind = AttributeKind::list;
  basis.members.emplace_back("", AttributeText::numberList(counts));
  basis.members.emplace_back("", AttributeText::numberList(order));
  changed(fmt::format("subgroup_m_count = {}, subgroup_n_count = {} is subgroup_basis = {} now",
                      rows, columns, basis.print()));
  dictionary.set("subgroup_basis", std::move(basis));
}

void ConfigWriter::upgradeGpu(AttributeText& lowering) {
  AttributeText* dictionary = lowering.findDictionary();
  if (dictionary == nullptr) {
    return;
  }
  upgradeSubgroups(*dictionary, {});
  if (AttributeText* basis = dictionary->find("thread_basis")) {
    changed("thread_basis is lane_basis now");
    AttributeText value = std::move(*basis);
    dictionary->erase("thread_basis");
    dictionary->set("lane_basis", std::move(value));
  }
}

void ConfigWriter::tilesToGpu(AttributeText& lowering, const AttributeText* schedule) {
  const AttributeText* tiles = lowering.find("tile_sizes");
  const auto sizes = tiles == nullptr || tiles->members.empty()
                         ? std::vector<std::int64_t>()
                         : tiles->members.front().value.numbers();
  if (tiles == nullptr || tiles->members.size() != 1 || sizes.size() != loops_.count) {
    fail(
        fmt::format("tile_sizes = {} is a dictionary now, and its values do not correspond to the "
                    "{} loops of the operation",
                    tiles == nullptr ? "[]" : tiles->print(), loops_.count));
    return;
  }
  std::vector<std::int64_t> workgroup = sizes;
  std::vector<std::int64_t> reduction(sizes.size(), 0);
  for (const std::int64_t loop : loops_.reductions) {
    std::swap(workgroup[static_cast<std::size_t>(loop)], reduction[static_cast<std::size_t>(loop)]);
  }
  AttributeText dictionary;
  dictionary.kind = AttributeKind::dictionary;
  if (schedule != nullptr) {
    for (const auto& [name, member] : schedule->members) {
      dictionary.set(name == "intrinsic" ? "mma_kind" : name, member);
    }
    // The pipeline always copied both operands to shared memory.
    dictionary.set("promote_operands", AttributeText::numberList({0, 1}));
  }
  dictionary.set("reduction", AttributeText::numberList(reduction));
  dictionary.set("workgroup", AttributeText::numberList(workgroup));
  changed(fmt::format("tile_sizes = {} is workgroup = [{}], reduction = [{}] now", tiles->print(),
                      fmt::join(workgroup, ", "), fmt::join(reduction, ", ")));
  AttributeText config;
  config.kind = AttributeKind::named;
  config.text = kGpuConfig;
  config.members.emplace_back("", std::move(dictionary));
  lowering = std::move(config);
  upgradeGpu(lowering);
}

void ConfigWriter::tilesToCpu(AttributeText& lowering) {
  constexpr std::array<std::string_view, 4> kShort = {"distribution", "vector_common_parallel",
                                                      "vector_reduction", "vector_inner_parallel"};
  constexpr std::array<std::string_view, 6> kLong = {"distribution",     "cache_parallel",
                                                     "cache_reduction",  "vector_common_parallel",
                                                     "vector_reduction", "vector_inner_parallel"};
  const AttributeText* tiles = lowering.find("tile_sizes");
  const std::size_t levels = tiles == nullptr ? 0 : tiles->members.size();
  if (levels == 0 || levels == 5 || levels > kLong.size()) {
    fail(fmt::format("tile_sizes has {} levels, which no version of the compiler names", levels));
    return;
  }
  AttributeText config;
  config.kind = AttributeKind::named;
  config.text = kCpuConfig;
  for (std::size_t i = 0; i < levels; ++i) {
    const AttributeText& level = tiles->members[i].value;
    const auto sizes = level.numbers();
    if (std::ranges::any_of(sizes, [](std::int64_t size) { return size != 0; }) || i == 0) {
      config.set(levels == kLong.size() ? kLong[i] : kShort[i], level);
    }
  }
  changed(fmt::format("tile_sizes = {} is {} now", tiles->print(), config.print()));
  lowering = std::move(config);
}

void ConfigWriter::upgradeLowering(AttributeText& lowering, const AttributeText* schedule) {
  const bool tiles = lowering.find("tile_sizes") != nullptr &&
                     (lowering.text.empty() || lowering.text == kTilingConfig);
  if (!tiles) {
    if (lowering.text == kGpuConfig) {
      if (AttributeText* dictionary = lowering.findDictionary();
          dictionary != nullptr && schedule != nullptr) {
        for (const auto& [name, member] : schedule->members) {
          dictionary->set(name == "intrinsic" ? "mma_kind" : name, member);
        }
        changed("mma_schedule is part of the lowering_config now");
      }
      upgradeGpu(lowering);
    }
    return;
  }
  if (family_ == "#iree_cpu.pipeline") {
    tilesToCpu(lowering);
  } else if (pipeline_ == "VectorDistribute" || pipeline_ == "TileAndFuse") {
    tilesToGpu(lowering, schedule);
  } else if (lowering.text.empty()) {
    changed("lowering_config = <tile_sizes …> is #iree_codegen.lowering_config<tile_sizes …> now");
    lowering.text = kTilingConfig;
  }
}

void ConfigWriter::upgradeInfo(AttributeText& info) {
  AttributeText* translation = info.find("translation_info");
  AttributeText* lowering = info.find("lowering_config");
  if (translation == nullptr || lowering == nullptr) {
    fail("its compilation_info has no lowering_config or no translation_info");
    return;
  }
  upgradePipeline(*translation);
  for (const std::string_view size : {"workgroup_size", "subgroup_size"}) {
    if (const AttributeText* value = info.find(size)) {
      changed(fmt::format("{} is part of the translation_info now", size));
      const auto pipeline = translation->members.begin() + (size == "workgroup_size" ? 1 : 2);
      translation->members.insert(std::min(pipeline, translation->members.end()),
                                  AttributeMember{std::string(size), *value});
      info.erase(size);
      translation = info.find("translation_info");
      lowering = info.find("lowering_config");
    }
  }
  std::optional<AttributeText> schedule;
  if (AttributeText* dictionary = translation->findDictionary()) {
    if (const AttributeText* found = dictionary->find("mma_schedule")) {
      schedule = *found;
    }
  }
  upgradeOptions(*translation);
  upgradeLowering(*lowering, schedule ? &*schedule : nullptr);
  if (padded_) {
    requireWholeTiles(*lowering);
  }
}

void ConfigWriter::requireWholeTiles(AttributeText& lowering) {
  const AttributeText* levels = lowering.findDictionary();
  for (const std::string_view level : {"workgroup", "reduction"}) {
    const AttributeText* tiles = levels == nullptr ? nullptr : levels->find(level);
    const auto sizes = tiles == nullptr ? std::vector<std::int64_t>() : tiles->numbers();
    for (std::size_t loop = 0; loop < sizes.size(); ++loop) {
      const std::int64_t size = loop < loops_.sizes.size() ? loops_.sizes[loop] : -1;
      if (sizes[loop] > 0 && (size < 0 || size % sizes[loop] != 0)) {
        result_.needsProgram = size < 0;
        fail(
            fmt::format("{} padded loop {} to a multiple of {}, and no pipeline does so now; its "
                        "size is {}",
                        kPaddingPipeline, loop, sizes[loop],
                        size < 0 ? "not stated by the matcher" : std::to_string(size)));
        return;
      }
    }
  }
}

void ConfigWriter::upgradeDecomposition(AttributeText& dictionary) {
  pipeline_ = "VectorDistribute";
  for (auto& [name, attributes] : dictionary.members) {
    AttributeText* lowering = attributes.find("lowering_config");
    AttributeText* config = lowering == nullptr ? nullptr : lowering->findDictionary();
    if (config != nullptr) {
      // The first product has no loop over the columns of the result, the second none over the
      // depth of the queries.
      upgradeSubgroups(*config, name == "qk_attrs" ? loops_.n : loops_.k1);
    }
  }
}

ConfigUpgrade ConfigWriter::upgrade(std::string_view text) {
  auto attribute = parseAttribute(text);
  if (!attribute) {
    result_.failure = "its configuration is not an attribute";
    return std::move(result_);
  }
  renameIntrinsics(*attribute);
  if (attribute->kind == AttributeKind::named &&
      attribute->text == "#iree_codegen.compilation_info") {
    upgradeInfo(*attribute);
  } else if (attribute->kind == AttributeKind::dictionary) {
    upgradeDecomposition(*attribute);
  }
  if (result_.failure.empty()) {
    result_.text = result_.changes.empty() ? std::string(text) : attribute->print();
  }
  return std::move(result_);
}

}  // namespace

ConfigUpgrade upgradeConfig(std::string_view text, const LoopInfo& loops) {
  return ConfigWriter(loops).upgrade(text);
}

}  // namespace hone::iree
