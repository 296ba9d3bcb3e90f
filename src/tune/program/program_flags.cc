#include "tune/program/program_flags.h"

#include <algorithm>

#include "iree/compile/split_compile.h"
#include "tune/program/layout_scripts.h"
#include "tune/program/script_file.h"

namespace hone::tune {
namespace {

constexpr std::string_view kPackedOperations =
    "--iree-dispatch-creation-experimental-set-data-tiling-ops";

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
    if (ways.size() == 1) {  // the script converts those with several ways
      moved.push_back({layer, ways.front()});
    }
  }
  return moved;
}

std::vector<FlagSet> cpuFlagSets(std::span<const model::Layer> layers) {
  const std::vector<LayerChoice> moved = movedLayers(layers);
  const std::string dataTiling = "--iree-opt-data-tiling";
  const std::string innerTiled = "--iree-llvmcpu-enable-inner-tiled";
  const std::string ukernels = "--iree-llvmcpu-enable-ukernels=all";
  const std::string matmuls = "--iree-global-opt-use-im2col-for-convs";
  const auto packed = [](std::string_view what) {
    return std::string(kPackedOperations) + "=" + std::string(what);
  };
  return {
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
       placeByPlaceScript(moved)},
      {"optimization level 3", {"--iree-opt-level=O3"}, "more fusion, reordered reductions"},
      {"no unrolling",
       {"--iree-llvmcpu-loop-unrolling=false"},
       "smaller loops if the tiles are already unrolled"},
      splitReduction(),
  };
}

}  // namespace

Result<FlagSet> withScript(FlagSet set) {
  if (!set.preprocessing.empty()) {
    const auto file = HONE_TRY(cacheScript(set.preprocessing));
    set.flags.push_back(std::string(kScriptFlag) + file.string());
  }
  return set;
}

std::vector<FlagSet> layerSets(std::span<const LayerChoice> measured,
                               std::span<const LayerChoice> estimated) {
  std::vector<FlagSet> sets = {{"layer by layer", flagsFor(measured),
                                "each convolution in the way that is fastest for it alone",
                                channelsLastScript(measured)}};
  if (!std::ranges::equal(measured, estimated)) {
    sets.push_back({"layer by layer, estimated", flagsFor(estimated),
                    "each convolution in the way that usually is fastest",
                    channelsLastScript(estimated)});
  }
  return sets;
}

std::vector<FlagSet> flagSets(const iree::Target& target, std::span<const model::Layer> layers) {
  if (target.name == "local") {
    return cpuFlagSets(layers);
  }
  return {{"optimization level 3", {"--iree-opt-level=O3"}, "more fusion"}, splitReduction()};
}

}  // namespace hone::tune
