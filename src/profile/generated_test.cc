#include "profile/generated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::profile {
namespace {

using testing::HasSubstr;

Generated example(const std::filesystem::path& root) {
  Generated generated;
  generated.operation = {model::Matmul{.m = 8, .n = 16, .k = 32}, {}};
  generated.target = "local";
  generated.configs = {defaultConfig()};
  TuningConfig tiles;
  tiles.name = "tile_config_8x8";
  tiles.compilationInfo = "#iree_codegen.compilation_info<>";
  generated.configs.push_back(tiles);
  generated.folder = folderFor(root, generated.operation);
  return generated;
}

class GeneratedFolder : public testing::Test {
 protected:
  ScratchFolder folder_ = ScratchFolder::create("hone-generated-test").value();
};

TEST_F(GeneratedFolder, HasLayoutOfDispatchProfiler) {
  const Generated generated = example(folder_.path());
  ASSERT_TRUE(writeGenerated(generated));
  const auto file = folder_.path() /
                    "generated/linalg/matmul/matmul_8x16x32_f32t_f32t_f32t/"
                    "matmul_8x16x32_f32t_f32t_f32t.mlir";
  const std::string text = readFile(file).value();
  EXPECT_THAT(text, HasSubstr("func.func @matmul_8x16x32_f32t_f32t_f32t_tile_config_default("));
  EXPECT_THAT(text, HasSubstr("func.func @matmul_8x16x32_f32t_f32t_f32t_tile_config_8x8("));
  EXPECT_THAT(text, HasSubstr("#tile_config_8x8 = #iree_codegen.compilation_info<>"));
  EXPECT_THAT(text, HasSubstr("compilation_info = #tile_config_8x8"));
}

TEST_F(GeneratedFolder, RoundTrips) {
  const Generated generated = example(folder_.path());
  ASSERT_TRUE(writeGenerated(generated));
  const auto all = readGenerated(folder_.path()).value();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].operation, generated.operation);
  EXPECT_EQ(all[0].target, "local");
  EXPECT_EQ(all[0].folder, generated.folder);
  ASSERT_EQ(all[0].configs.size(), 2U);
  EXPECT_EQ(all[0].configs[1].compilationInfo, "#iree_codegen.compilation_info<>");
}

TEST_F(GeneratedFolder, ReportsMissingAndDamagedFiles) {
  EXPECT_THAT(readGenerated(folder_.path()).error().message, HasSubstr("no operations found in"));
  const Generated generated = example(folder_.path());
  ASSERT_TRUE(writeGenerated(generated));
  ASSERT_TRUE(writeFile(generated.file(".json"), "{\"target\": 3}"));
  EXPECT_THAT(readGenerated(folder_.path()).error().message, HasSubstr("invalid operation file"));
}

TEST_F(GeneratedFolder, DoesNotTouchUnchangedFiles) {
  const Generated generated = example(folder_.path());
  ASSERT_TRUE(writeGenerated(generated));
  const auto before = std::filesystem::last_write_time(generated.file(".mlir"));
  std::filesystem::last_write_time(generated.file(".mlir"), before - std::chrono::hours(1));
  ASSERT_TRUE(writeGenerated(generated));
  EXPECT_EQ(std::filesystem::last_write_time(generated.file(".mlir")),
            before - std::chrono::hours(1));
}

TEST(SplitK, HasOneConfigurationPerDivisorOfK) {
  Generated generated;
  generated.operation = {model::Matmul{.m = 8, .n = 8, .k = 64}, {2, 3, 16}};
  generated.target = "local";
  generated.configs = splitKConfigs(generated.operation);
  ASSERT_EQ(generated.configs.size(), 2U);
  EXPECT_EQ(generated.dispatchName(generated.configs[1]),
            "matmul_splitk_8x8x64_f32t_f32t_f32t_split_k_slice_16");
  EXPECT_THAT(generateSource(generated, generated.configs),
              HasSubstr("iree_linalg_ext.split_reduction = [4 : index]"));
  EXPECT_EQ(generated.flags().size(), 1U);
}

}  // namespace
}  // namespace hone::profile
