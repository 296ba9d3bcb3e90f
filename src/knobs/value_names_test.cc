#include "knobs/value_names.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::knobs {
namespace {

using ::testing::ElementsAre;

/// Returns two pipelines that number their instructions differently.
KnobModel twoPipelines() {
  search::Space space({{"pipeline", {0, 1}, false}, {"mma_idx", {-1, 0, 1}, false}, {"wg_0", {64}}},
                      {{0, 0, 64}, {0, 1, 64}, {1, 0, 64}, {1, -1, 64}});
  auto infos = [space](std::span<const std::size_t> points) -> Result<std::vector<std::string>> {
    std::vector<std::string> texts;
    for (const std::size_t point : points) {
      const auto values = space.point(point);
      const std::string mma = values[1] < 0 ? ""
                                            : fmt::format("mma_kind = #iree_gpu.mma_layout<M{}>, ",
                                                          10 * values[0] + values[1]);
      texts.push_back(fmt::format(
          "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{{{}"
          "workgroup = [64]}}>, translation_info = <pipeline = #iree_gpu.pipeline<P{}> "
          "workgroup_size = [64]>>",
          mma, values[0]));
    }
    return texts;
  };
  return {std::move(space), std::move(infos), {}, {}, true};
}

TEST(ValueNames, NamesOptionsAfterConfiguration) {
  const KnobModel model = twoPipelines();
  EXPECT_THAT(valueNames(model, 0).value(), ElementsAre("0 (P0)", "1 (P1)"));
  EXPECT_THAT(valueNames(model, 1).value(), ElementsAre("-1", "0 (M0 or M10)", "1 (M1)"));
}

TEST(ValueNames, FormatsSizesAsNumbers) {
  EXPECT_THAT(valueNames(twoPipelines(), 2).value(), ElementsAre("64"));
}

TEST(ParseAttributeName, IsEmptyWithoutKey) {
  EXPECT_EQ(parseAttributeName("<pipeline = #iree_gpu.pipeline<TileAndFuse> more>", "pipeline"),
            "TileAndFuse");
  EXPECT_EQ(parseAttributeName("<workgroup = [64]>", "pipeline"), "");
  EXPECT_EQ(parseAttributeName("pipeline = None", "pipeline"), "");
}

}  // namespace
}  // namespace hone::knobs
