#include "kernel/source/cpp_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

using testing::ElementsAre;

TEST(KernelTokens, KeepsOnlyTokensOfMacros) {
  std::vector<std::string> texts;
  for (const auto& token :
       kernelTokens("#include <cmath>\nint x;\n#define F \\\n  fork()\n%:pragma y\n# define z\n")) {
    texts.push_back(token.text);
  }
  EXPECT_THAT(texts,
              ElementsAre("#include <cmath>", "int", "x", ";", "#define F   fork()", "define", "F",
                          "fork", "(", ")", "#pragma y", "# define z", "define", "z"));
}

}  // namespace
}  // namespace hone::kernel
