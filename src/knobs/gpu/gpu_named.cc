#include "knobs/gpu/gpu_named.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "iree/compile/constraints.h"
#include "iree/mlir/problem_mlir.h"
#include "knobs/gpu/gpu_options.h"
#include "knobs/gpu/matrix/matrix_instruction.h"
#include "knobs/gpu/simt/gpu_simt.h"
#include "knobs/gpu/tile_space.h"
#include "knobs/problem_root.h"

namespace hone::knobs {
namespace {

using model::Conv;
using model::Matmul;
using model::Problem;

// Tiles of IREE's former dispatch profiler. They do not include its stages, which the compiler
// chooses; see kMoreStages. The former block of 64x4 threads was 4x2 warps.
constexpr std::array k16BitTiles = {
    GpuTile{256, 128, 32, 4, 2}, GpuTile{128, 256, 32, 2, 4}, GpuTile{128, 128, 64, 2, 2},
    GpuTile{128, 128, 32, 2, 2}, GpuTile{128, 64, 32, 2, 2},  GpuTile{64, 64, 64, 2, 2},
    GpuTile{64, 64, 32, 2, 2},
};
constexpr std::array k32BitTiles = {
    GpuTile{128, 256, 16, 2, 4}, GpuTile{256, 128, 16, 4, 2}, GpuTile{128, 128, 16, 2, 2},
    GpuTile{128, 128, 32, 2, 2}, GpuTile{128, 64, 32, 2, 2},  GpuTile{128, 64, 16, 2, 2},
    GpuTile{64, 64, 32, 2, 2},   GpuTile{64, 64, 16, 2, 2},
};

/// Pipeline stages of loads to try besides those of the constraints, if larger. The compiler
/// produces the same code for more than three stages on AMD, and for any number on NVIDIA.
constexpr std::array<std::int64_t, 2> kMoreStages = {2, 3};
/// The compiler does not pipeline shorter reduction loops.
constexpr std::int64_t kMinPipelinedSteps = 3;

std::span<const GpuTile> tilesFor(const Problem& problem) {
  const std::size_t bytes = model::byteWidth(model::operandTypes(problem)[0].element);
  return bytes >= 4 ? std::span<const GpuTile>(k32BitTiles) : k16BitTiles;
}

/// Returns the problem to request constraints for. Neither an epilogue nor a batch changes the
/// constraints: each workgroup computes one batch element. Emitting constraints for a batch matmul
/// crashes IREE 3.13.0.
Problem withoutBatchAndEpilogue(Problem problem) {
  if (auto* matmul = std::get_if<Matmul>(&problem)) {
    matmul->batch = 0;
    matmul->epilogue = {};
  } else if (auto* conv = std::get_if<Conv>(&problem)) {
    conv->epilogue = {};
  }
  return problem;
}

/// Converts a problem without batch and epilogue; nothing if it is not a matrix product.
Result<std::optional<GpuProduct>> toGpuProduct(const Problem& problem) {
  const auto root = rootFrom(problem);
  if (!root || root->kind == model::RootKind::attention) {
    return std::nullopt;
  }
  GpuProduct product{.root = *root, .roles = HONE_TRY(groupLoops(*root))};
  if (const auto* conv = std::get_if<Conv>(&problem)) {
    product.strided =
        std::max({conv->strideH, conv->strideW, conv->dilationH, conv->dilationW}) > 1;
  }
  return product;
}

/// Adds a leading batch loop to the attribute of a matmul.
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

/// NVIDIA's names are those of the former profiler. On AMD, several pipelines use the same
/// instruction, so the pipeline is the class.
InstructionClass classifyInstruction(const std::string& mma, const TileSpace& space) {
  if (mma.contains("NV_MMA_SYNC")) {
    return {"tensorcore", "mmasync"};
  }
  if (mma.contains("NV_WMMA")) {
    return {"tensorcore", "wmma"};
  }
  return {mma.contains("MFMA") ? "mfma" : "wmma",
          space.isIgemm() ? "igemm" : toLower(space.pipeline())};
}

/// Returns true if the instruction accumulates in the result type. The compiler fails to truncate
/// accumulators that it holds in registers.
bool accumulatesIn(model::ElementType result, const std::string& mma) {
  const auto instruction = matrixInstructionFrom(mma);
  return instruction && instruction->sums == model::nameOf(result);
}

bool hasBatch(const Problem& problem) {
  const auto* matmul = std::get_if<Matmul>(&problem);
  return matmul != nullptr && matmul->batch > 0;
}

/// Returns the assignment nearest to `tile` for each instruction class.
std::map<InstructionClass, TileSpace::Match> findNearest(const std::vector<TileSpace>& spaces,
                                                         const GpuTile& tile,
                                                         model::ElementType result) {
  std::map<InstructionClass, TileSpace::Match> nearest;
  for (const TileSpace& space : spaces) {
    for (std::size_t mma = 0; mma < space.instructions().size(); ++mma) {
      if (!accumulatesIn(result, space.instructions()[mma])) {
        continue;
      }
      auto found = space.nearest(tile, mma);
      const InstructionClass kind = classifyInstruction(space.instructions()[mma], space);
      const auto at = nearest.find(kind);
      if (found && (at == nearest.end() || found->distance < at->second.distance)) {
        nearest.insert_or_assign(kind, std::move(*found));
      }
    }
  }
  return nearest;
}

/// A tile of the list with its point.
struct NamedMatch {
  GpuTile tile;
  InstructionClass kind;
  TileSpace::Match match;

  [[nodiscard]] NamedConfig named(bool batch, std::int64_t stages,
                                  std::string compilationInfo) const {
    return {.tile = fmt::format("{}{}x{}_{}x{}", batch ? "1x" : "", tile.m, tile.n, tile.k, stages),
            .coreClass = kind.core,
            .instructionClass = kind.instruction,
            .compilationInfo = std::move(compilationInfo)};
  }
};

/// Returns the configurations that use matrix instructions.
Result<std::vector<NamedConfig>> matrixConfigs(iree::Compiler& compiler, const iree::Target& target,
                                               const Problem& problem) {
  const Problem asked = withoutBatchAndEpilogue(problem);
  const auto product = HONE_TRY(toGpuProduct(asked));
  if (!product) {
    return std::vector<NamedConfig>();
  }
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-tuning"));
  const std::string source = iree::emitMlir(asked);
  const iree::CompileRequest request{
      folder.path() / "problem.mlir", hashBytes(source), target.flags, {}};
  HONE_CHECK(writeScratchFile(request.source, source));
  const auto constraints = iree::queryConstraints(compiler, request);
  if (!constraints && constraints.error().fault == Fault::user) {
    return std::vector<NamedConfig>();  // the problem itself does not compile
  }
  HONE_CHECK(constraints);
  std::vector<TileSpace> spaces;
  for (std::size_t i = 0; i < constraints->size(); ++i) {
    if (auto space = HONE_TRY(TileSpace::from((*constraints)[i], i, *product))) {
      spaces.push_back(std::move(*space));
    }
  }
  std::vector<NamedMatch> matches;
  std::vector<iree::KnobAssignment> assignments;
  for (const GpuTile& tile : tilesFor(problem)) {
    for (auto& [kind, match] : findNearest(spaces, tile, model::resultType(problem).element)) {
      assignments.push_back(match.assignment);
      matches.push_back({tile, kind, std::move(match)});
    }
  }
  const auto infos = HONE_TRY(iree::compilationInfos(compiler, request, assignments));
  const bool amd = target.name.starts_with("rocm:");
  std::vector<NamedConfig> configs;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const std::string info = hasBatch(problem) ? batched(infos[i]) : infos[i];
    const TileSpace::Match& match = matches[i].match;
    configs.push_back(matches[i].named(hasBatch(problem), match.stages, info));
    for (const std::int64_t stages : kMoreStages) {
      if (amd && stages > match.stages && match.steps >= kMinPipelinedSteps) {
        configs.push_back(matches[i].named(
            hasBatch(problem), stages, HONE_TRY(withOptions(info, {{kPrefetchStages, stages}}))));
      }
    }
  }
  return configs;
}

}  // namespace

Result<std::vector<NamedConfig>> gpuNamedConfigs(iree::Compiler& compiler,
                                                 const iree::Target& target,
                                                 const Problem& problem) {
  auto configs = HONE_TRY(matrixConfigs(compiler, target, problem));
  if (configs.empty() && target.name.starts_with("cuda:")) {
    if (const auto root = rootFrom(problem)) {
      return simtNamedConfigs(*root);
    }
  }
  return configs;
}

}  // namespace hone::knobs
