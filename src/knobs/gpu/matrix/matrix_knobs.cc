#include "knobs/gpu/matrix/matrix_knobs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "knobs/config_text.h"
#include "knobs/gpu/matrix/matrix_instruction.h"
#include "knobs/gpu/simt/simt_config.h"
#include "knobs/listed_knobs.h"
#include "knobs/loop_roles.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

/// The product, with the compiler's instruction.
struct MatrixProduct {
  model::RootOperation root;
  std::string kind;  ///< the attribute of the instruction
  MatrixInstruction shape;
  std::size_t row = 0, column = 0, sum = 0;  ///< loops
  std::int64_t subgroupSize = 0;
  bool pads = false;      ///< the compiler's default pads the operands
  bool converts = false;  ///< the compiler's default converts the accumulator
};

/// Number of subgroups and of instructions per subgroup along each loop.
struct MatrixGrid {
  Sizes subgroups, tiles;

  [[nodiscard]] std::int64_t extent(std::size_t loop, std::int64_t instruction) const {
    return std::max<std::int64_t>(1, subgroups[loop]) * tiles[loop] * instruction;
  }
};

MatrixGrid gridFrom(const Tiling& tiling) { return {tiling.levels[0], tiling.levels[1]}; }

std::optional<std::size_t> onlyLoop(const model::RootOperation& root,
                                    const std::vector<std::size_t>& loops) {
  std::optional<std::size_t> only;
  for (const std::size_t loop : loops) {
    if (root.loops[loop].size > 1 && only) {
      return std::nullopt;
    }
    only = root.loops[loop].size > 1 || !only ? loop : *only;
  }
  return only;
}

std::optional<MatrixProduct> readProduct(const model::RootOperation& root) {
  const std::string_view entry = findEntry(root.loweringConfig, "mma_kind");
  const std::size_t end = entry.find('>');
  if (root.kind != model::RootKind::contraction || end == std::string_view::npos) {
    return std::nullopt;
  }
  MatrixProduct product;
  product.root = root;
  product.kind = entry.substr(0, end + 1);
  const auto shape = matrixInstructionFrom(product.kind);
  const auto roles = groupLoops(root);
  const auto row = roles ? onlyLoop(root, roles->rows) : std::nullopt;
  const auto column = roles ? onlyLoop(root, roles->columns) : std::nullopt;
  const auto sum = roles ? onlyLoop(root, roles->sums) : std::nullopt;
  product.subgroupSize = parseSubgroupSize(root.translationInfo);
  if (!shape || !row || !column || !sum || product.subgroupSize == 0) {
    return std::nullopt;
  }
  product.shape = *shape;
  product.row = *row;
  product.column = *column;
  product.sum = *sum;
  product.pads = !findEntry(root.loweringConfig, "padding").empty();
  product.converts = root.loweringConfig.contains("convert_acc_gemm");
  return product;
}

std::string matrixInfo(const MatrixProduct& product, const MatrixGrid& grid) {
  const std::size_t loops = product.root.loops.size();
  Sizes workgroup(loops);
  Sizes subgroup(loops);
  Sizes reduction(loops);
  for (std::size_t loop = 0; loop < loops; ++loop) {
    workgroup[loop] = product.root.loops[loop].reduction ? 0 : 1;
  }
  workgroup[product.row] = grid.extent(product.row, product.shape.m);
  workgroup[product.column] = grid.extent(product.column, product.shape.n);
  subgroup[product.row] = grid.tiles[product.row];
  subgroup[product.column] = grid.tiles[product.column];
  reduction[product.sum] = grid.tiles[product.sum];
  Sizes padding = workgroup;
  padding[product.sum] = grid.tiles[product.sum] * product.shape.k;
  const std::int64_t threads =
      product.subgroupSize * grid.subgroups[product.row] * grid.subgroups[product.column];
  return fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{{{}mma_kind = "
      "{}, {}promote_operands = [0, 1], reduction = [{}], subgroup = [{}], workgroup = [{}]}}>, "
      "translation_info = <pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [{}, 1, 1] "
      "subgroup_size = {}, {{gpu_pipeline_options = #iree_gpu.pipeline_options<"
      "prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, "
      "use_igemm_convolution = false>}}>>",
      product.converts ? "convert_acc_gemm, " : "", product.kind,
      product.pads ? fmt::format("padding = [{}], ", fmt::join(padding, ", ")) : "",
      fmt::join(reduction, ", "), fmt::join(subgroup, ", "), fmt::join(workgroup, ", "), threads,
      product.subgroupSize);
}

/// Returns the bytes of both operands' tiles in shared memory.
double sharedBytes(const MatrixProduct& product, const MatrixGrid& grid) {
  Sizes tile(product.root.loops.size(), 1);
  tile[product.row] = grid.extent(product.row, product.shape.m);
  tile[product.column] = grid.extent(product.column, product.shape.n);
  tile[product.sum] = grid.tiles[product.sum] * product.shape.k;
  return footprintBytes(product.root.inputs[0], tile) +
         footprintBytes(product.root.inputs[1], tile);
}

/// Estimates loads per multiply, idle units, and waste at the edges.
double matrixCost(const MatrixProduct& product, const MatrixGrid& grid) {
  constexpr double kWorkgroupsAtATime = 128;
  const auto m = static_cast<double>(grid.extent(product.row, product.shape.m));
  const auto n = static_cast<double>(grid.extent(product.column, product.shape.n));
  double workgroups = std::ceil(static_cast<double>(product.root.loops[product.row].size) / m) *
                      std::ceil(static_cast<double>(product.root.loops[product.column].size) / n);
  for (std::size_t loop = 0; loop < product.root.loops.size(); ++loop) {
    if (!product.root.loops[loop].reduction && loop != product.row && loop != product.column) {
      workgroups *= static_cast<double>(product.root.loops[loop].size);
    }
  }
  const double rounds = std::ceil(workgroups / kWorkgroupsAtATime);
  const auto depth = static_cast<double>(grid.tiles[product.sum] * product.shape.k);
  return rounds * (m * n + 32 * (m + n) + 2000 * 32 / depth);
}

std::vector<Tiling> matrixTilings(const MatrixProduct& product, const GpuLimits& limits) {
  constexpr std::int64_t kMaxResultsOfThread = 256;
  const std::size_t loops = product.root.loops.size();
  const auto size = [&](std::size_t loop) { return product.root.loops[loop].size; };
  const auto fits = [&](std::size_t loop, std::int64_t extent) {
    return size(loop) % extent == 0 || (product.pads && extent < 2 * size(loop));
  };
  std::vector<Tiling> tilings;
  for (const std::int64_t rowSubgroups : {1, 2, 4}) {
    for (const std::int64_t columnSubgroups : {1, 2, 4, 8}) {
      for (const std::int64_t rowTiles : {1, 2, 4, 8}) {
        for (const std::int64_t columnTiles : {1, 2, 4, 8}) {
          for (const std::int64_t depth : {1, 2, 4, 8, 16}) {
            MatrixGrid grid{Sizes(loops), Sizes(loops)};
            grid.subgroups[product.row] = rowSubgroups;
            grid.subgroups[product.column] = columnSubgroups;
            grid.tiles[product.row] = rowTiles;
            grid.tiles[product.column] = columnTiles;
            grid.tiles[product.sum] = depth;
            const std::int64_t results =
                rowTiles * columnTiles * product.shape.m * product.shape.n / product.subgroupSize;
            if (rowSubgroups * columnSubgroups * product.subgroupSize <= limits.maxThreads &&
                results <= kMaxResultsOfThread &&
                fits(product.row, grid.extent(product.row, product.shape.m)) &&
                fits(product.column, grid.extent(product.column, product.shape.n)) &&
                fits(product.sum, depth * product.shape.k) &&
                sharedBytes(product, grid) <= static_cast<double>(limits.sharedBytes)) {
              tilings.push_back({{}, {grid.subgroups, grid.tiles}});
            }
          }
        }
      }
    }
  }
  return tilings;
}

}  // namespace

std::optional<KnobModel> matrixKnobs(const model::RootOperation& root, const GpuLimits& limits) {
  const auto product = readProduct(root);
  if (!product || !checkLoops(root)) {
    return std::nullopt;
  }
  Listing listing;
  listing.tilings = matrixTilings(*product, limits);
  if (listing.tilings.empty()) {
    return std::nullopt;
  }
  listing.guess = [product = *product](const Tiling& tiling) {
    return matrixCost(product, gridFrom(tiling));
  };
  TilingForm form{.options = {},
                  .levels = {"subgroups", "tiles"},
                  .compilationInfo =
                      [product = *product](const Tiling& tiling) {
                        return matrixInfo(product, gridFrom(tiling));
                      },
                  .companions = nullptr};
  return listedModel(std::move(form), std::move(listing));
}

}  // namespace hone::knobs
