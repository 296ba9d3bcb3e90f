#include "iree/mlir/attribute_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iree/mlir/mlir_scan.h"

namespace hone::iree {
namespace {

using ::testing::ElementsAre;

std::string reprinted(std::string_view text) {
  const auto attribute = parseAttribute(text);
  return attribute ? attribute->print() : "not an attribute";
}

TEST(AttributeText, PrintsWhatItParses) {
  const std::string pipeline =
      "<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 2, 1] subgroup_size = "
      "64, {llvm_func_attrs = {\"amdgpu-waves-per-eu\" = \"2\"}, unit}>";
  for (const std::string& text : std::vector<std::string>{
           "64 : i64", "\"a, > b\"", "true", "[]", "{}", "[1, [16], 0]", "@spec::@name",
           "dense<1> : tensor<2xi64>", "affine_map<(d0, d1) -> (d1)>",
           "#iree_gpu.virtual_mma_layout<VMFMA_F32_32x32x16_F16, col_major = true>",
           "#iree_gpu.lowering_config<{promote_operands = [0, 1], workgroup = [32, 128, 0]}>",
           pipeline}) {
    EXPECT_EQ(reprinted(text), text);
  }
}

TEST(AttributeText, IgnoresCommentsAndLineBreaks) {
  EXPECT_EQ(reprinted("{a = 1, // first\n  b =\n [2,\n3]}"), "{a = 1, b = [2, 3]}");
}

TEST(AttributeText, RejectsIncompleteText) {
  for (const std::string_view text :
       {"", "{a = 1", "[1, 2", "#x.y<1", "{a = }", "{a = 1} rest", "[(1, 2]"}) {
    EXPECT_FALSE(parseAttribute(text)) << text;
  }
  EXPECT_FALSE(parseAttribute(std::string(100'000, '['))) << "nesting is limited";
}

TEST(AttributeText, FindsAndSetsMembers) {
  auto attribute = parseAttribute("{a = [1, [2], 3 : i64], b}");
  ASSERT_TRUE(attribute);
  EXPECT_THAT(attribute->find("a")->numbers(), ElementsAre(1, 2, 3));
  EXPECT_EQ(attribute->find("c"), nullptr);
  attribute->set("a", AttributeText::plain("7"));
  attribute->set("c", AttributeText::numberList({4, 5}));
  attribute->erase("b");
  EXPECT_EQ(attribute->print(), "{a = 7, c = [4, 5]}");
}

TEST(MlirScan, SkipsStringsCommentsAndArrows) {
  const std::string_view text = "{ \"}\" // }\n (a) -> b }x";
  EXPECT_EQ(closingPosition(text, 0), text.size() - 1);
  EXPECT_EQ(closingPosition("(a]", 0), kNoPosition);
  EXPECT_EQ(closingPosition("(a", 0), kNoPosition);
}

TEST(MlirScan, FindsWholeWordsOutsideOfComments) {
  const std::string_view text =
      "// linalg.matmul\nlinalg.matmul_x \"linalg.matmul\" linalg.matmul ins";
  EXPECT_EQ(findWord(text, "linalg.matmul"), text.rfind("linalg.matmul"));
  EXPECT_EQ(findWord(text, "linalg"), kNoPosition);
}

}  // namespace
}  // namespace hone::iree
