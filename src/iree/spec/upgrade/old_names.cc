#include "iree/spec/upgrade/old_names.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace hone::iree {
namespace {

/// The form of pipelines until IREE 3.11: one enumeration for all backends.
struct PipelineFamily {
  std::string_view prefix;
  std::string_view attribute;
  std::array<std::string_view, 7> names;  ///< that the compiler still has
};
constexpr std::array<PipelineFamily, 3> kFamilies = {{
    {"LLVMGPU",
     "#iree_gpu.pipeline",
     {"Default", "BaseLowering", "Distribute", "Vectorize", "VectorDistribute", "WinogradVectorize",
      "TileAndFuse"}},
    {"CPU",
     "#iree_cpu.pipeline",
     {"Default", "DoubleTilingExpert", "ConvTileAndDecomposeExpert", "Mmt4dTilingExpert",
      "BufferOpsTileAndVectorize", "DataTiling", "LinalgExtTileAndVectorize"}},
    {"SPIRV",
     "#iree_gpu.spirv_pipeline",
     {"BaseLowering", "BaseDistribute", "BaseVectorize", "SubgroupReduce", "MatmulPromoteVectorize",
      "CooperativeMatrixVectorize", "WinogradVectorize"}},
}};

}  // namespace

std::optional<std::string> currentPipeline(std::string_view name) {
  if (name == kPaddingPipeline) {
    return "#iree_gpu.pipeline<VectorDistribute>";
  }
  if (name == "Mmt4dTilingExpert") {
    return "#iree_cpu.pipeline<Mmt4dTilingExpert>";
  }
  if (name == "VMVXDefault") {
    return "#iree_codegen.vmvx_pipeline";
  }
  if (name == "TransformDialectCodegen") {
    return "#iree_codegen.transform_dialect_codegen";
  }
  if (name == "None") {
    return "#iree_codegen.no_pipeline";
  }
  for (const PipelineFamily& family : kFamilies) {
    const std::string_view rest =
        name.starts_with(family.prefix) ? name.substr(family.prefix.size()) : "";
    if (!rest.empty() && std::ranges::count(family.names, rest) > 0) {
      return fmt::format("{}<{}>", family.attribute, rest);
    }
  }
  return std::nullopt;
}

std::string currentIntrinsic(const std::string& name) {
  static const RE2 kOld(R"((V?MFMA|WMMA)_(\w+?)_(\d+x\d+x\d+)_(F32|I32|F64))", RE2::Latin1);
  std::string unit;
  std::string operands;
  std::string shape;
  std::string sum;
  const bool old = RE2::FullMatch(name, kOld, &unit, &operands, &shape, &sum) &&
                   operands != "F32" && operands != "I32" && operands != "F64";
  return old ? fmt::format("{}_{}_{}_{}", unit, sum, shape, operands) : name;
}

}  // namespace hone::iree
