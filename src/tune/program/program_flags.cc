#include "tune/program/program_flags.h"

#include <algorithm>
#include <functional>

#include "iree/compile/split_compile.h"
#include "tune/layers/layer_form.h"
#include "tune/program/layout_scripts.h"
#include "tune/program/script_file.h"

namespace hone::tune {
namespace {

constexpr std::string_view kPackedOperations =
    "--iree-dispatch-creation-experimental-set-data-tiling-ops";
constexpr const char* kDataTiling = "--iree-opt-data-tiling";
constexpr const char* kInnerTiled = "--iree-llvmcpu-enable-inner-tiled";
constexpr const char* kMicrokernels = "--iree-llvmcpu-enable-ukernels=all";

FlagSet levelThree() {
  return {"optimization level 3", {"--iree-opt-level=O3"}, "more fusion, reordered reductions"};
}

FlagSet noUnrolling() {
  return {"no unrolling",
          {"--iree-llvmcpu-loop-unrolling=false"},
          "smaller loops if the tiles are already unrolled"};
}

FlagSet splitReduction() {
  return {"split reduction",
          {iree::kEnableSplitFlag},
          "splits long reductions over several workgroups"};
}

/// Returns the layers that are moved to channels last together with the convolutions, so that no
/// layout change is left between them.
std::vector<LayerChoice> movedLayers(std::span<const model::Layer> layers) {
  std::vector<LayerChoice> moved;
  for (const model::Layer& layer : layers) {
    const std::vector<Way> ways = waysFor(layer);
    const bool grouped = layer.op.contains("gchw");
    if (grouped ? !ways.empty() : ways.size() == 1) {  // the script converts the others
      moved.push_back({layer, ways.front()});
    }
  }
  return moved;
}

/// Returns true if convolutions are most of the work.
bool isConvolutional(std::span<const model::Layer> layers) {
  double all = 0;
  double convolutions = 0;
  for (const model::Layer& layer : layers) {
    const double work = waysFor(layer).empty() ? 0 : countWork(layer);
    all += work;
    convolutions += isConvolution(layer) ? work : 0;
  }
  return convolutions > all / 2;
}

std::vector<FlagSet> cpuFlagSets(std::span<const model::Layer> layers) {
  const std::vector<LayerChoice> moved = movedLayers(layers);
  const std::string dataTiling = kDataTiling;
  const std::string innerTiled = kInnerTiled;
  const std::string ukernels = kMicrokernels;
  const std::string matmuls = "--iree-global-opt-use-im2col-for-convs";
  const auto packed = [](std::string_view what) {
    return std::string(kPackedOperations) + "=" + std::string(what);
  };
  std::vector<FlagSet> sets = {
      {"data tiling", {dataTiling}, "matmuls on operands packed into tiles"},
      {"data tiling, inner tiles",
       {dataTiling, innerTiled},
       "packed tiles as large as the registers allow"},
      {"data tiling, microkernels", {dataTiling, ukernels}, "packing and matmuls by microkernels"},
      {"packed convolutions",
       {dataTiling, packed("matmul"), packed("convolution"), ukernels},
       "convolutions on blocks of channels as well, by a microkernel"},
      {"channels last", {}, "convolutions in a layout that vectorizes", channelsLastScript(moved)},
      {"channels last, data tiling",
       {dataTiling},
       "convolutions in a layout that vectorizes, and matmuls on packed operands",
       channelsLastScript(moved)},
      {"convolutions as matmuls",
       {matmuls, dataTiling},
       "convolutions unrolled into matmuls on packed operands",
       filtersLastScript()},
      {"convolutions as matmuls, not packed",
       {matmuls},
       "convolutions unrolled into matmuls with tunable tiles",
       filtersLastScript()},
      {"convolutions per filter position",
       {},
       "convolutions as a sum of matmuls, one per filter position",
       perPositionScript(moved)},
      levelThree(),
      noUnrolling(),
      splitReduction(),
  };
  if (isConvolutional(layers)) {
    std::ranges::stable_partition(sets, [](const FlagSet& set) {
      return set.name.starts_with("channels") || set.name.starts_with("convolutions");
    });
  }
  return sets;
}

}  // namespace

Result<FlagSet> withScript(FlagSet set) {
  if (!set.preprocessing.empty()) {
    const auto file = HONE_TRY(cacheScript(set.preprocessing));
    std::string flag = std::string(kScriptFlag) + file.string();
    if (std::ranges::find(set.flags, flag) == set.flags.end()) {
      set.flags.push_back(std::move(flag));
    }
  }
  return set;
}

std::vector<FlagSet> layerSets(std::span<const LayerAssignment> assignments) {
  std::vector<FlagSet> sets;
  for (const LayerAssignment& assignment : assignments) {
    std::string script = channelsLastScript(assignment.choices);
    const bool known =
        std::ranges::any_of(sets, [&](const FlagSet& set) { return set.preprocessing == script; });
    if (!known) {
      sets.push_back(
          {assignment.name, flagsFor(assignment.choices), assignment.why, std::move(script)});
    }
  }
  return sets;
}

std::vector<FlagSet> extendedSets(const FlagSet& set) {
  std::vector<FlagSet> more = {levelThree(), noUnrolling(), splitReduction()};
  const auto has = [&](const std::string& flag) {
    return std::ranges::find(set.flags, flag) != set.flags.end();
  };
  if (has(kDataTiling)) {
    more.insert(more.begin(),
                {{"inner tiles", {kInnerTiled}, "packed tiles as large as the registers allow"},
                 {"microkernels", {kMicrokernels}, "packing and matmuls by microkernels"}});
  }
  std::vector<FlagSet> extended;
  for (const FlagSet& one : more) {
    if (!std::ranges::any_of(one.flags, has)) {
      FlagSet& both = extended.emplace_back(set);
      both.name += ", " + one.name;
      both.why += "; " + one.why;
      both.flags.insert(both.flags.end(), one.flags.begin(), one.flags.end());
    }
  }
  return extended;
}

void rankByGains(const FlagGains& gains, std::vector<FlagSet>& sets) {
  const auto count = [&](const FlagSet& set) {
    std::int64_t sum = 0;
    for (const auto& [name, successes] : gains) {
      sum += name == set.name || name.starts_with(set.name + ", ") ? successes : 0;
    }
    return sum;
  };
  std::ranges::stable_sort(sets, std::greater<>(), count);
}

std::vector<FlagSet> flagSets(const iree::Target& target, std::span<const model::Layer> layers) {
  if (target.name == "local") {
    return cpuFlagSets(layers);
  }
  return {{"optimization level 3", {"--iree-opt-level=O3"}, "more fusion"}, splitReduction()};
}

}  // namespace hone::tune
