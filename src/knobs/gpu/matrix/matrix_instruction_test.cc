#include "knobs/gpu/matrix/matrix_instruction.h"

#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

TEST(MatrixInstruction, ParsesName) {
  for (const char* name : {"MFMA_F32_16x8x32_F16", "#iree_gpu.mma_layout<MFMA_F32_16x8x32_F16>",
                           "NV_MMA_SYNC_F32_16x8x32_F16", "X_F32_16x8x32>"}) {
    const auto read = matrixInstructionFrom(name);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(read->sums, "f32");
    EXPECT_EQ(read->m, 16);
    EXPECT_EQ(read->n, 8);
    EXPECT_EQ(read->k, 32);
  }
}

TEST(MatrixInstruction, RejectsOtherNames) {
  for (const char* name : {"", "MFMA", "16x16x16", "A_16x16", "A_F32_0x1x1", "A_F32_1x1x1x1"}) {
    EXPECT_FALSE(matrixInstructionFrom(name)) << name;
  }
}

}  // namespace
}  // namespace hone::knobs
