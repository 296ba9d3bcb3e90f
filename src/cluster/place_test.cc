#include "cluster/place.h"

#include <gtest/gtest.h>

namespace hone::cluster {
namespace {

constexpr const char* kRule =
    "# ===----------------------------------------------------------------------===\n";

TEST(PlaceTest, ReadsTheNameOfTheFirstDevice) {
  const std::string dump = fmt::format(
      "# Enumerated devices for driver 'hip'\n\n{0}# --device=hip://GPU-1234\n"
      "#   AMD Instinct MI300X\n{0}\n- gpu-arch-name: gfx942\n\n{0}# --device=hip://GPU-5678\n"
      "#   another one\n{0}",
      kRule);
  EXPECT_EQ(modelIn(dump), "AMD Instinct MI300X");
}

TEST(PlaceTest, WithoutADeviceThereIsNoName) {
  EXPECT_EQ(modelIn(""), "");
  EXPECT_EQ(modelIn("# Enumerated devices for driver 'hip'\n"), "");
  EXPECT_EQ(modelIn("# --device=hip://GPU-1234"), "");
  EXPECT_EQ(modelIn("# --device=hip://GPU-1234\n#\n"), "");
}

}  // namespace
}  // namespace hone::cluster
