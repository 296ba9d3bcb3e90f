#include "knobs/gpu/promoted_copies.h"

#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

TEST(PromotedCopies, AreSharedByThreadsThatDivideTheTile) {
  EXPECT_TRUE(canShareCopy({320, 64}, 1, 64));
  EXPECT_FALSE(canShareCopy({48, 320}, 1, 64)) << "20 vectors per row";
  EXPECT_FALSE(canShareCopy({192, 32}, 1, 256)) << "128 threads for 192 rows";
  EXPECT_FALSE(canShareCopy({16, 96}, 4, 64)) << "24 vectors per row";
  EXPECT_TRUE(canShareCopy({64, 64}, 2, 256));
  EXPECT_TRUE(canShareCopy({32, 512}, 2, 128));
}

TEST(PromotedCopies, AreRepeatedForSmallTiles) {
  EXPECT_TRUE(canShareCopy({16, 160}, 1, 256)) << "160 vectors";
  EXPECT_TRUE(canShareCopy({32, 16}, 2, 256));
}

model::RootOperation matmul() {
  model::RootOperation root;
  root.kind = model::RootKind::contraction;
  root.loops = {{192, false}, {256, false}, {320, true}};
  root.inputs = {{.shape = {192, 320}, .element = "i8", .loops = {{0}, {2}}},
                 {.shape = {320, 256}, .element = "i8", .loops = {{2}, {1}}}};
  return root;
}

iree::PipelineConstraints constraints(const std::string& pipeline) {
  return {.dispatch = "d",
          .pipeline = pipeline,
          .knobs = {{"wg_0", "workgroup[0]", {}},
                    {"wg_1", "workgroup[1]", {}},
                    {"red_2", "reduction[2]", {}},
                    {"wg_size_x", "workgroup_size[0]", {}}},
          .smtLib = ""};
}

search::Space space() {
  return {{{"wg_0", {48, 64}}, {"wg_1", {64}}, {"red_2", {64, 320}}, {"wg_size_x", {64}}},
          {{48, 64, 320, 64}, {64, 64, 64, 64}, {48, 64, 64, 64}}};
}

TEST(PromotedCopies, RemovesPointsThatTheCompilerCannotDistribute) {
  const search::Space kept = withSharedCopies(space(), constraints("VectorDistribute"), matmul());
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_FALSE(kept.find(std::vector<std::int64_t>{48, 64, 320, 64}));
}

TEST(PromotedCopies, KeepsOtherPipelinesAndOperations) {
  EXPECT_EQ(withSharedCopies(space(), constraints("TileAndFuse"), matmul()).size(), 3u);
  model::RootOperation conv = matmul();
  conv.kind = model::RootKind::convolution;
  EXPECT_EQ(withSharedCopies(space(), constraints("VectorDistribute"), conv).size(), 3u);
  iree::PipelineConstraints without = constraints("VectorDistribute");
  without.knobs.pop_back();
  EXPECT_EQ(withSharedCopies(space(), without, matmul()).size(), 3u);
}

}  // namespace
}  // namespace hone::knobs
