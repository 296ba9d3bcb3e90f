#include "profile/dispatch_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kOperation = "matmul_128x128x256_f16t_f16t_f16t";
const std::string kDispatch = kOperation + "_tile_config_128x64_32x5_tensorcore_mmasync";

bool takes(std::string_view text) {
  return DispatchFilter::from(text).value().takes("matmul", kOperation, kDispatch);
}

TEST(DispatchFilter, MatchesWholeNames) {
  EXPECT_TRUE(takes(""));
  EXPECT_TRUE(takes(kDispatch));
  EXPECT_TRUE(takes(kOperation));
  EXPECT_TRUE(takes("matmul"));
  EXPECT_FALSE(takes("matmul_128"));
  EXPECT_TRUE(takes("conv2d,matmul"));
}

TEST(DispatchFilter, AcceptsWildcardsAndRegularExpressions) {
  EXPECT_TRUE(takes("matmul_128x128x256_f16t_f16t_f16t_*_tensorcore_mmasync"));
  EXPECT_TRUE(takes("matmul_128*"));
  EXPECT_TRUE(takes("matmul_128.*"));
  EXPECT_TRUE(takes("matmul_[0-9x]*_f16t*"));
  EXPECT_FALSE(takes("*_f32t_*"));
  EXPECT_TRUE(takes("matmul_128**"));
  EXPECT_TRUE(takes("matmul_128.**"));
  EXPECT_THAT(DispatchFilter::from("a(b").error().message,
              HasSubstr("invalid regular expression 'a(b'"));
}

TEST(DispatchFilter, MatchesVeryLongNames) {
  const std::string name(1'000'000, 'x');
  const auto filter = DispatchFilter::from("conv_*,(x|y)*").value();
  EXPECT_TRUE(filter.takes("matmul", kOperation, name));
  EXPECT_FALSE(filter.takes("matmul", kOperation, name + "z"));
}

TEST(NearestNames, ReturnsMostSimilarFirst) {
  EXPECT_THAT(
      nearestNames("matmul_128", std::vector<std::string>{"conv", "matmul_1", "matmul_129"}, 2),
      ElementsAre("matmul_129", "matmul_1"));
}

}  // namespace
}  // namespace hone::profile
