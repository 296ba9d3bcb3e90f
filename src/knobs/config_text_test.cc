#include "knobs/config_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::StartsWith;

constexpr std::string_view kConfig =
    "#iree_gpu.lowering_config<{reduction = [0, 0, 2], subgroup = [4, 4], subgroup_basis = "
    "[[2, 8, 1], []], workgroup = [64, [8]]}>";

TEST(ConfigText, FindsEntryByWholeName) {
  EXPECT_THAT(findEntry(kConfig, "subgroup"), StartsWith("[4, 4]"));
  EXPECT_THAT(findEntry(kConfig, "basis"), IsEmpty());
  EXPECT_THAT(findEntry(kConfig, "group"), IsEmpty());
}

TEST(ConfigText, FindsNestedListElement) {
  const auto basis = findEntry(kConfig, "subgroup_basis");
  EXPECT_THAT(listElement(basis, 0), StartsWith("[2, 8, 1]"));
  EXPECT_THAT(listElement(basis, 1), StartsWith("[]"));
  EXPECT_THAT(listElement(listElement(basis, 0), 2), StartsWith("1]"));
  EXPECT_THAT(listElement(listElement(basis, 0), 3), IsEmpty());
  EXPECT_THAT(listElement(listElement(basis, 1), 0), IsEmpty());
  EXPECT_THAT(listElement(basis, 2), IsEmpty());
  EXPECT_THAT(listElement("64", 0), IsEmpty());
}

TEST(ConfigText, ParsesOnlyPlainNumbers) {
  EXPECT_THAT(parseNumbers(findEntry(kConfig, "reduction")), Optional(ElementsAre(0, 0, 2)));
  EXPECT_THAT(parseNumbers("[] and more"), Optional(IsEmpty()));
  // Sizes in brackets are for scalable vectors.
  EXPECT_EQ(parseNumbers(findEntry(kConfig, "workgroup")), std::nullopt);
  EXPECT_EQ(parseNumbers(""), std::nullopt);
  EXPECT_EQ(parseNumbers("[1, 2"), std::nullopt);
}

TEST(ConfigText, MatchesWholePipelineName) {
  constexpr std::string_view kInfo =
      "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse>>";
  EXPECT_TRUE(namesPipeline(kInfo, "TileAndFuse"));
  EXPECT_FALSE(namesPipeline(kInfo, "Fuse"));
  EXPECT_FALSE(namesPipeline(kInfo, "TileAndFuseMore"));
}

}  // namespace
}  // namespace hone::knobs
