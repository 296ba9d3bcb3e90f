#include "tune/program/program_flags.h"

#include "iree/compile/split_compile.h"
#include "tune/program/layout_scripts.h"
#include "tune/program/script_file.h"

namespace hone::tune {
namespace {

constexpr std::string_view kPackedOperations =
    "--iree-dispatch-creation-experimental-set-data-tiling-ops";

FlagSet splitReduction() {
  return {"split reduction", {iree::kEnableSplitFlag}, "long sums in several workgroups"};
}

std::vector<FlagSet> cpuFlagSets() {
  const std::string dataTiling = "--iree-opt-data-tiling";
  const std::string innerTiled = "--iree-llvmcpu-enable-inner-tiled";
  const std::string ukernels = "--iree-llvmcpu-enable-ukernels=all";
  const std::string matmuls = "--iree-global-opt-use-im2col-for-convs";
  const auto packed = [](std::string_view what) {
    return std::string(kPackedOperations) + "=" + std::string(what);
  };
  return {
      {"data tiling", {dataTiling}, "matmuls work on operands packed into tiles"},
      {"data tiling, inner tiles",
       {dataTiling, innerTiled},
       "packed tiles as large as the registers allow"},
      {"data tiling, microkernels",
       {dataTiling, ukernels},
       "packing and products by hand-written kernels"},
      {"packed convolutions",
       {dataTiling, packed("matmul"), packed("convolution"), ukernels},
       "convolutions, too, on blocks of channels, by a hand-written kernel"},
      {"channels last", {}, "convolutions on layouts that vectorize", channelsLastScript()},
      {"channels last, data tiling",
       {dataTiling},
       "and matmuls on packed operands",
       channelsLastScript()},
      {"convolutions as matmuls",
       {matmuls, dataTiling},
       "a convolution is unrolled into a matmul, and that packed",
       filtersLastScript()},
      {"convolutions as matmuls, not packed",
       {matmuls},
       "as above, for tiles to be tuned",
       filtersLastScript()},
      {"convolutions place by place",
       {},
       "a convolution is the sum of a matmul for each place of its filter",
       placeByPlaceScript()},
      {"optimization level 3", {"--iree-opt-level=O3"}, "more fusion, sums in another order"},
      {"no unrolling",
       {"--iree-llvmcpu-loop-unrolling=false"},
       "smaller loops where the tiles are unrolled already"},
      splitReduction(),
  };
}

}  // namespace

Result<FlagSet> withScript(FlagSet set) {
  if (!set.preprocessing.empty()) {
    const auto file = HONE_TRY(keepScript(set.preprocessing));
    set.flags.push_back(std::string(kScriptFlag) + file.string());
  }
  return set;
}

std::vector<FlagSet> flagSets(const iree::Target& target) {
  if (target.name == "local") {
    return cpuFlagSets();
  }
  return {{"optimization level 3", {"--iree-opt-level=O3"}, "more fusion"}, splitReduction()};
}

}  // namespace hone::tune
