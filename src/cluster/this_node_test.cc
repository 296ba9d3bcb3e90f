#include "cluster/this_node.h"

#include <gtest/gtest.h>

namespace hone::cluster {
namespace {

constexpr const char* kRule =
    "# ===----------------------------------------------------------------------===\n";

TEST(ThisNode, ParsesNameOfFirstDevice) {
  const std::string dump = fmt::format(
      "# Enumerated devices for driver 'hip'\n\n{0}# --device=hip://GPU-1234\n"
      "#   AMD Instinct MI300X\n{0}\n- gpu-arch-name: gfx942\n\n{0}# --device=hip://GPU-5678\n"
      "#   another one\n{0}",
      kRule);
  EXPECT_EQ(parseDeviceName(dump), "AMD Instinct MI300X");
}

TEST(ThisNode, NameIsEmptyWithoutDevice) {
  EXPECT_EQ(parseDeviceName(""), "");
  EXPECT_EQ(parseDeviceName("# Enumerated devices for driver 'hip'\n"), "");
  EXPECT_EQ(parseDeviceName("# --device=hip://GPU-1234"), "");
  EXPECT_EQ(parseDeviceName("# --device=hip://GPU-1234\n#\n"), "");
}

}  // namespace
}  // namespace hone::cluster
