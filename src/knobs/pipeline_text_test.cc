#include "knobs/pipeline_text.h"

#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

constexpr const char* kOld = "3.11.0 @ 1234";
constexpr const char* kNew = "3.12.0 @ 1234";

TEST(PipelineText, ReadsAttributesAndKeywords) {
  EXPECT_EQ(readPipeline("<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, {a}>"),
            "DoubleTilingExpert");
  EXPECT_EQ(readPipeline("<pipeline = CPUDoubleTilingExpert, {a}>"), "DoubleTilingExpert");
  EXPECT_EQ(readPipeline("<pipeline = Mmt4dTilingExpert>"), "Mmt4dTilingExpert");
  EXPECT_EQ(readPipeline("<pipeline = LLVMGPUTileAndFuse workgroup_size = [64]>"), "TileAndFuse");
  EXPECT_EQ(readPipeline("<workgroup_size = [64]>"), "");
}

TEST(PipelineText, WritesKeywordsForOldCompilers) {
  EXPECT_EQ(fitPipeline("<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, {a}>", kOld),
            "<pipeline = CPUDoubleTilingExpert, {a}>");
  EXPECT_EQ(fitPipeline("<pipeline = #iree_cpu.pipeline<Mmt4dTilingExpert>>", kOld),
            "<pipeline = Mmt4dTilingExpert>");
  EXPECT_EQ(fitPipeline("<pipeline = #iree_gpu.spirv_pipeline<BaseVectorize> x>", kOld),
            "<pipeline = SPIRVBaseVectorize x>");
  EXPECT_EQ(fitPipeline("<pipeline = LLVMGPUTileAndFuse>", kOld),
            "<pipeline = LLVMGPUTileAndFuse>");
}

TEST(PipelineText, KeepsAttributesForOtherCompilers) {
  const std::string info = "<pipeline = #iree_gpu.pipeline<TileAndFuse> x>";
  for (const char* revision : {kNew, "3.13.0rc20260401 @ 1234", "4.0.0", "", "unknown"}) {
    EXPECT_EQ(fitPipeline(info, revision), info) << revision;
  }
}

}  // namespace
}  // namespace hone::knobs
