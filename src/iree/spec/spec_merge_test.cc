#include "iree/spec/spec_merge.h"

#include "iree/spec/test_specs.h"

namespace hone::iree {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string matches(const std::string& op) {
  return fmt::format("transform.match.operation_name %op [\"{}\"] : !transform.any_op", op);
}

const std::string kSmall = cpuInfo("32, 32, 0", "8, 16, 0", "0, 0, 1");
const std::string kLarge = cpuInfo("64, 64, 0", "8, 16, 0", "0, 0, 1");

using SpecMergeTest = SpecTest;

TEST_F(SpecMergeTest, KeepsEqualEntriesOnce) {
  const Spec first = makeSpec({{"matmul", "Of the first.", matches("linalg.matmul"), kSmall}});
  const Spec second =
      makeSpec({{"other_name", "", matches("linalg.matmul"), kSmall},
                {"matmul", "Of the second.", matches("linalg.batch_matmul"), kLarge}});
  const auto merged = mergeSpecs(first, second, Prefer::neither);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->entries, 2u);
  EXPECT_EQ(merged->equal, 1u);
  EXPECT_THAT(merged->conflicts, SizeIs(0));
  const auto read = readSpec(compiler_, file(merged->text));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->entries.size(), 2u);
  EXPECT_EQ(read->entries[0].name, "matmul");
  EXPECT_EQ(read->entries[0].comment, "Of the first.");
  EXPECT_EQ(read->entries[0].config, kSmall);
  EXPECT_EQ(read->entries[1].name, "matmul_2");
  EXPECT_EQ(read->entries[1].comment, "Of the second.");
  EXPECT_EQ(read->entries[1].matched.op, "linalg.batch_matmul");
  EXPECT_THAT(read->actions, SizeIs(1));
}

TEST_F(SpecMergeTest, ReportsAndResolvesConflicts) {
  const Spec first = makeSpec({{"a", "", matches("linalg.matmul"), kSmall}});
  const Spec second = makeSpec({{"b", "", matches("linalg.matmul"), kLarge}});
  const auto undecided = mergeSpecs(first, second, Prefer::neither);
  ASSERT_TRUE(undecided);
  EXPECT_EQ(undecided->text, "");
  ASSERT_THAT(undecided->conflicts, SizeIs(1));
  EXPECT_EQ(undecided->conflicts[0].first, "a");
  EXPECT_EQ(undecided->conflicts[0].second, "b");
  EXPECT_THAT(undecided->conflicts[0].what, HasSubstr("linalg.matmul"));
  for (const auto& [prefer, config] :
       {std::pair(Prefer::first, kSmall), std::pair(Prefer::second, kLarge)}) {
    const auto merged = mergeSpecs(first, second, prefer);
    ASSERT_TRUE(merged);
    const auto read = readSpec(compiler_, file(merged->text));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->entries.size(), 1u);
    EXPECT_EQ(read->entries[0].config, config);
  }
}

TEST_F(SpecMergeTest, RenamesDifferentActionOfTheSameName) {
  const Spec first = makeSpec({{"a", "", matches("linalg.matmul"), kSmall}});
  std::string text =
      specText(std::vector<SpecEntry>{{"b", "", matches("linalg.batch_matmul"), kLarge}}).value();
  const std::string yield = "transform.yield\n";
  text.insert(text.find(yield), "transform.annotate %op \"seen\" : !transform.any_op\n    ");
  const auto second = readSpec(compiler_, file(text));
  ASSERT_TRUE(second) << second.error().message;
  const auto merged = mergeSpecs(first, *second, Prefer::neither);
  ASSERT_TRUE(merged) << merged.error().message;
  const auto read = readSpec(compiler_, file(merged->text));
  ASSERT_TRUE(read) << read.error().message << merged->text;
  EXPECT_EQ(read->entries[0].action, "apply_op_config");
  EXPECT_EQ(read->entries[1].action, "apply_op_config_2");
  EXPECT_THAT(read->actions.at("apply_op_config_2").text, HasSubstr("seen"));
}

}  // namespace
}  // namespace hone::iree
