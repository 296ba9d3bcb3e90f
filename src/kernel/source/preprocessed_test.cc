#include "kernel/source/preprocessed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

TEST(SplitPreprocessed, SeparatesHeaders) {
  const Preprocessed parts = splitPreprocessed(
      "# 0 \"/a b/k.cc\"\n# 0 \"<built-in>\"\n# 1 \"/a b/k.cc\"\n#include <x.h>\n"
      "# 1 \"/usr/include/x.h\" 1 3\nint header;\n#include_next <y.h>\n# 2 \"/a b/k.cc\" 2\n"
      "int own;\n #pragma\n#pragma omp simd\n",
      "/a b/k.cc", "kernel.cc");
  EXPECT_EQ(parts.own, "# 0\n# 1\n#include <x.h>\n# 2\nint own;\n #pragma\n#pragma omp simd\n");
  EXPECT_EQ(parts.unit,
            "# 0 \"kernel.cc\"\n# 0 \"<built-in>\"\n# 1 \"kernel.cc\"\n\n"
            "# 1 \"/usr/include/x.h\" 1 3\nint header;\n\n# 2 \"kernel.cc\" 2\nint own;\n"
            " #pragma\n#pragma omp simd\n");
  EXPECT_THAT(parts.files, testing::ElementsAre("/usr/include/x.h"));
}

}  // namespace
}  // namespace hone::kernel
