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

TEST(ConfigText, AnEntryIsFoundByItsWholeName) {
  EXPECT_THAT(entryOf(kConfig, "subgroup"), StartsWith("[4, 4]"));
  EXPECT_THAT(entryOf(kConfig, "basis"), IsEmpty());
  EXPECT_THAT(entryOf(kConfig, "group"), IsEmpty());
}

TEST(ConfigText, AnElementMayBeAList) {
  const auto basis = entryOf(kConfig, "subgroup_basis");
  EXPECT_THAT(elementOf(basis, 0), StartsWith("[2, 8, 1]"));
  EXPECT_THAT(elementOf(basis, 1), StartsWith("[]"));
  EXPECT_THAT(elementOf(elementOf(basis, 0), 2), StartsWith("1]"));
  EXPECT_THAT(elementOf(elementOf(basis, 0), 3), IsEmpty());
  EXPECT_THAT(elementOf(elementOf(basis, 1), 0), IsEmpty());
  EXPECT_THAT(elementOf(basis, 2), IsEmpty());
  EXPECT_THAT(elementOf("64", 0), IsEmpty());
}

TEST(ConfigText, OnlyPlainNumbersAreNumbers) {
  EXPECT_THAT(numbersOf(entryOf(kConfig, "reduction")), Optional(ElementsAre(0, 0, 2)));
  EXPECT_THAT(numbersOf("[] and more"), Optional(IsEmpty()));
  // A size in brackets is one of scalable vectors.
  EXPECT_EQ(numbersOf(entryOf(kConfig, "workgroup")), std::nullopt);
  EXPECT_EQ(numbersOf(""), std::nullopt);
  EXPECT_EQ(numbersOf("[1, 2"), std::nullopt);
}

TEST(ConfigText, APipelineIsTakenByItsWholeName) {
  constexpr std::string_view kInfo =
      "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse>>";
  EXPECT_TRUE(namesPipeline(kInfo, "TileAndFuse"));
  EXPECT_FALSE(namesPipeline(kInfo, "Fuse"));
  EXPECT_FALSE(namesPipeline(kInfo, "TileAndFuseMore"));
}

}  // namespace
}  // namespace hone::knobs
