#include "iree/module/module_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iree/module/module_names.h"

namespace hone::iree {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kModule = R"mlir(module {
  util.func public @f$async(%arg0: !hal.buffer_view, %arg1: !hal.fence) -> !hal.buffer_view {
    %0 = hal.buffer_view.dim<%arg0 : !hal.buffer_view>[0] : index
    %1 = hal.tensor.import wait(%arg1) => %arg0 : !hal.buffer_view -> tensor<?x8xf32>{%0}
    util.return %arg0 : !hal.buffer_view
  }
  util.func public @g(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    %0 = hal.buffer_view.dim<%arg0 : !hal.buffer_view>[0] : index
    util.return %arg0 : !hal.buffer_view
  }
}
)mlir";

TEST(FixInputShapes, ChangesImportsOfFunctionOnly) {
  const std::string fixed = fixInputShapes(kModule, "f", {std::vector<std::int64_t>{5, 8}});
  EXPECT_THAT(fixed, HasSubstr("%0 = arith.constant 5 : index\n"));
  EXPECT_THAT(fixed, HasSubstr("%fixed_1 = hal.tensor.import wait(%arg1) => %arg0 : "
                               "!hal.buffer_view -> tensor<5x8xf32>\n"));
  EXPECT_THAT(fixed, HasSubstr("%1 = tensor.cast %fixed_1 : tensor<5x8xf32> to tensor<?x8xf32>\n"));
  const auto g = fixed.substr(fixed.find("@g("));
  EXPECT_THAT(g, HasSubstr("hal.buffer_view.dim"));
}

TEST(FixInputShapes, KeepsInputsWithoutShape) {
  EXPECT_EQ(fixInputShapes(kModule, "f", {std::nullopt}), kModule);
  EXPECT_THAT(fixInputShapes(kModule, "h", {std::vector<std::int64_t>{5, 8}}),
              Not(HasSubstr("arith.constant")));
}

TEST(BareName, ReplacesCharactersThatNeedQuotes) {
  EXPECT_TRUE(isBareName("main_graph$async"));
  EXPECT_FALSE(isBareName("main graph"));
  EXPECT_FALSE(isBareName("1st"));
  EXPECT_FALSE(isBareName(""));
  EXPECT_EQ(bareName("a b/c\"d-e"), "a_b_c_d_e");
  EXPECT_EQ(bareName("1st"), "_1st");
}

}  // namespace
}  // namespace hone::iree
