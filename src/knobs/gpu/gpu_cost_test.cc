#include "knobs/gpu/gpu_cost.h"

#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

model::RootOperation halfMatmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  model::RootOperation root;
  root.kind = model::RootKind::contraction;
  root.loops = {{m, false}, {n, false}, {k, true}};
  root.inputs = {{{m, k}, "f16", {{0}, {2}}}, {{k, n}, "f16", {{2}, {1}}}};
  root.outputs = {{{m, n}, "f32", {{0}, {1}}}};
  return root;
}

/// Returns the cost of a matmul with this tile and number of threads.
double cost(const model::RootOperation& root, std::int64_t m, std::int64_t n,
            std::int64_t threads) {
  const iree::PipelineConstraints constraints{"main_dispatch_0",
                                              "TileAndFuse",
                                              {{"wg_0", "workgroup[0]", {}},
                                               {"wg_1", "workgroup[1]", {}},
                                               {"wg_size_x", "workgroup_size[0]", {}}},
                                              ""};
  const search::Space space({{"pipeline", {0}, false},
                             {"wg_0", {m}, true},
                             {"wg_1", {n}, true},
                             {"wg_size_x", {threads}}},
                            {{0, m, n, threads}});
  return GpuCost(root, std::span(&constraints, 1), space)(space.point(0));
}

TEST(GpuCost, PrefersLargestTilesThatFitRegisters) {
  const auto large = halfMatmul(4096, 4096, 4096);
  EXPECT_LT(cost(large, 128, 128, 256), cost(large, 16, 16, 64));
  EXPECT_LT(cost(large, 128, 128, 256), cost(large, 64, 16, 256));
  EXPECT_LT(cost(large, 128, 128, 256), cost(large, 512, 512, 256));
  EXPECT_LT(cost(large, 128, 128, 256), cost(large, 128, 128, 64));
}

TEST(GpuCost, SpreadsSmallProductsOverUnits) {
  const auto small = halfMatmul(256, 256, 4096);
  EXPECT_LT(cost(small, 32, 32, 256), cost(small, 256, 256, 256));
}

TEST(GpuCost, PartialTilesCostAsMuchAsWholeOnes) {
  EXPECT_EQ(cost(halfMatmul(4096, 3969, 4096), 128, 128, 256),
            cost(halfMatmul(4096, 4096, 4096), 128, 128, 256));
}

}  // namespace
}  // namespace hone::knobs
