#include "profile/tuning_gpu.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "iree/compile/constraints.h"
#include "iree/mlir/problem_mlir.h"
#include "profile/knob_search.h"
#include "profile/tuning_parts.h"

namespace hone::profile {
namespace {

using model::Conv;
using model::Matmul;
using model::Problem;

// The lists of the old profiler. Its stages are not in them: how many there are is now the
// compiler's to say, and the name tells them. The old block of 64x4 threads was 4x2 warps.
constexpr std::array kTilesOf16Bits = {
    WantedTile{256, 128, 32, 4, 2}, WantedTile{128, 256, 32, 2, 4}, WantedTile{128, 128, 64, 2, 2},
    WantedTile{128, 128, 32, 2, 2}, WantedTile{128, 64, 32, 2, 2},  WantedTile{64, 64, 64, 2, 2},
    WantedTile{64, 64, 32, 2, 2},
};
constexpr std::array kTilesOf32Bits = {
    WantedTile{128, 256, 16, 2, 4}, WantedTile{256, 128, 16, 4, 2}, WantedTile{128, 128, 16, 2, 2},
    WantedTile{128, 128, 32, 2, 2}, WantedTile{128, 64, 32, 2, 2},  WantedTile{128, 64, 16, 2, 2},
    WantedTile{64, 64, 32, 2, 2},   WantedTile{64, 64, 16, 2, 2},
};

std::span<const WantedTile> tilesFor(const Problem& problem) {
  const std::size_t bytes = model::bytesOf(model::operandsOf(problem)[0].element);
  return bytes >= 4 ? std::span<const WantedTile>(kTilesOf32Bits) : kTilesOf16Bits;
}

/// The problem that the compiler is asked about: what follows the sums changes nothing in the
/// constraints, and neither does a batch, of which every workgroup has one. (Emitting constraints
/// for a batch matmul crashes IREE 3.13.0; a convolution's batch of one is asked about as two, as
/// it loses its loop where its operation has no attribute yet.)
Problem withoutTrimmings(Problem problem) {
  if (auto* matmul = std::get_if<Matmul>(&problem)) {
    matmul->batch = 0;
    matmul->epilogue = {};
  } else if (auto* conv = std::get_if<Conv>(&problem)) {
    conv->epilogue = {};
  }
  return problem;
}

/// Of a problem without trimmings; nothing for one that is no matrix product.
std::optional<ProductLoops> loopsOf(const Problem& problem) {
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    return ProductLoops{.sizes = {matmul->m, matmul->n, matmul->k}, .m = {0}, .n = {1}, .k = 2};
  }
  const auto* conv = std::get_if<Conv>(&problem);
  if (conv == nullptr || !takesTiles(*conv)) {
    return std::nullopt;
  }
  const bool strided =
      conv->strideH > 1 || conv->strideW > 1 || conv->dilationH > 1 || conv->dilationW > 1;
  if (conv->layout == model::ConvLayout::nhwc) {
    return ProductLoops{
        .sizes = {conv->n, conv->outH(), conv->outW(), conv->k, conv->y, conv->x, conv->c},
        .m = {0, 1, 2},
        .n = {3},
        .k = 6,
        .strided = strided};
  }
  return ProductLoops{
      .sizes = {conv->n, conv->k, conv->outH(), conv->outW(), conv->c, conv->y, conv->x},
      .m = {0, 2, 3},
      .n = {1},
      .k = 4,
      .strided = strided};
}

/// The attribute of a matmul for the same one with a batch loop before its own.
std::string batched(const std::string& compilationInfo) {
  std::string text = compilationInfo;
  const auto insert = [&](std::string_view after, std::string_view what) {
    if (const auto at = text.find(after); at != std::string::npos) {
      text.insert(at + after.size(), what);
    }
  };
  insert(" workgroup = [", "1, ");
  insert(" reduction = [", "0, ");
  insert(" subgroup = [", "0, ");
  insert(" subgroup_basis = [[", "1, ");
  insert("], [0, 1, 2", ", 3");
  return text;
}

struct InstructionClass {
  std::string core;
  std::string instruction;
  auto operator<=>(const InstructionClass&) const = default;
};

/// NVIDIA's names are those of old; on AMD the same instruction comes by several pipelines.
InstructionClass classOf(const std::string& mma, const KnobSpace& space) {
  if (mma.contains("NV_MMA_SYNC")) {
    return {"tensorcore", "mmasync"};
  }
  if (mma.contains("NV_WMMA")) {
    return {"tensorcore", "wmma"};
  }
  return {mma.contains("MFMA") ? "mfma" : "wmma",
          space.isIgemm() ? "igemm" : toLower(space.pipeline())};
}

/// Whether the instruction sums up in the type of the result; the compiler fails to narrow sums
/// that it holds in registers. The type stands before the shape: "MFMA_F32_16x16x16_F16".
bool sumsInto(model::ElementType result, const std::string& mma) {
  static const RE2 kSums(R"(_([A-Z]+[0-9]+)_[0-9]+x[0-9]+x[0-9]+)");
  std::string type;
  return RE2::PartialMatch(mma, kSums, &type) && toLower(type) == nameOf(result);
}

bool hasBatch(const Problem& problem) {
  const auto* matmul = std::get_if<Matmul>(&problem);
  return matmul != nullptr && matmul->batch > 0;
}

/// For each class of instructions the assignment that is nearest to the wanted tile.
std::map<InstructionClass, KnobSpace::Found> nearestOf(const std::vector<KnobSpace>& spaces,
                                                       const WantedTile& tile,
                                                       model::ElementType result) {
  std::map<InstructionClass, KnobSpace::Found> nearest;
  for (const KnobSpace& space : spaces) {
    for (std::size_t mma = 0; mma < space.mmaKinds().size(); ++mma) {
      if (!sumsInto(result, space.mmaKinds()[mma])) {
        continue;
      }
      auto found = space.nearest(tile, mma);
      const InstructionClass kind = classOf(space.mmaKinds()[mma], space);
      const auto at = nearest.find(kind);
      if (found && (at == nearest.end() || found->distance < at->second.distance)) {
        nearest.insert_or_assign(kind, std::move(*found));
      }
    }
  }
  return nearest;
}

}  // namespace

Result<std::vector<TuningConfig>> gpuConfigs(iree::Compiler& compiler, const iree::Target& target,
                                             const Problem& problem) {
  const Problem asked = withoutTrimmings(problem);
  const auto loops = loopsOf(asked);
  if (!loops) {
    return std::vector<TuningConfig>();
  }
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-tuning"));
  const std::string source = iree::mlirOf(asked);
  const iree::CompileRequest request{
      folder.path() / "problem.mlir", hashOf(source), target.flags, {}};
  HONE_CHECK(writeFile(request.source, source));
  const auto constraints = iree::constraintsOf(compiler, request);
  if (!constraints && constraints.error().fault == Fault::user) {
    return std::vector<TuningConfig>();  // the problem itself does not compile
  }
  HONE_CHECK(constraints);
  std::vector<KnobSpace> spaces;
  for (std::size_t i = 0; i < constraints->size(); ++i) {
    if (auto space = HONE_TRY(KnobSpace::from((*constraints)[i], i, *loops))) {
      spaces.push_back(std::move(*space));
    }
  }
  std::vector<TuningConfig> configs;
  std::vector<iree::KnobAssignment> assignments;
  for (const WantedTile& tile : tilesFor(problem)) {
    for (auto& [kind, found] : nearestOf(spaces, tile, model::resultOf(problem).element)) {
      configs.push_back(tuningConfig(fmt::format("{}{}x{}_{}x{}", hasBatch(problem) ? "1x" : "",
                                                 tile.m, tile.n, tile.k, found.stages),
                                     kind.core, kind.instruction, ""));
      assignments.push_back(std::move(found.assignment));
    }
  }
  const auto infos = HONE_TRY(iree::compilationInfos(compiler, request, assignments));
  for (std::size_t i = 0; i < infos.size(); ++i) {
    configs[i].compilationInfo = hasBatch(problem) ? batched(infos[i]) : infos[i];
  }
  return configs;
}

}  // namespace hone::profile
