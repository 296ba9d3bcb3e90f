#include "model/problem/root_operation.h"

#include <gtest/gtest.h>

namespace hone::model {
namespace {

RootOperation elementwise(std::vector<std::vector<std::size_t>> loops) {
  RootOperation root;
  root.op = "linalg.generic";
  root.kind = RootKind::elementwise;
  root.inputs = {{{8, 8}, "f32", std::move(loops)}};
  return root;
}

TEST(RootOperation, NamesWorkBetweenLayers) {
  const RootOperation none;
  EXPECT_EQ(describeWork("main_dispatch_3_slow_memcpy", none), "copy");
  EXPECT_EQ(describeWork("main_dispatch_3_fill_64_f32", none), "fill");
  EXPECT_EQ(describeWork("main_dispatch_3", none), "other");
  EXPECT_EQ(describeWork("main_dispatch_0_transpose_8x8_f32", elementwise({{1}, {0}})),
            "transpose");
  EXPECT_EQ(describeWork("main_dispatch_0_elementwise_8x8x3_f32", elementwise({{0, 2}, {1}})),
            "copy of windows");
  EXPECT_EQ(describeWork("main_dispatch_0_elementwise_8x8_f32", elementwise({{0}, {1}})),
            "elementwise");
}

TEST(RootOperation, NamesWorkByKindOfRoot) {
  RootOperation root = elementwise({{0}, {1}});
  root.kind = RootKind::contraction;
  EXPECT_EQ(describeWork("main_dispatch_0_matmul_transpose_b_8x8x8_f32", root), "contraction");
  root.kind = RootKind::packing;
  EXPECT_EQ(describeWork("main_dispatch_0_pack_f32", root), "packing");
}

}  // namespace
}  // namespace hone::model
