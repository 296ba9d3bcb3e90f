#include "base/text/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;

TEST(Regex, MatchesWholeOrPart) {
  const Regex regex = Regex::compile("mat(mul|vec)_[0-9]+").value();
  EXPECT_TRUE(regex.matches("matmul_12"));
  EXPECT_FALSE(regex.matches("a matmul_12"));
  EXPECT_TRUE(regex.matchesAnywhere("a matmul_12"));
  EXPECT_FALSE(regex.matchesAnywhere("matmul_"));
  EXPECT_TRUE(Regex::compile("")->matchesAnywhere("anything"));
  EXPECT_FALSE(Regex::compile("^b$")->matchesAnywhere("a\nb\n"));
}

TEST(Regex, MatchesBytes) {
  EXPECT_TRUE(
      Regex::compile("a.b")->matches("a\xff"
                                     "b"));
  EXPECT_TRUE(Regex::compile("größe|ä+")->matches("größe"));
}

TEST(Regex, RejectsInvalidPatterns) {
  for (const char* pattern : {"a(b", "[a", "*", "\\", "(a)\\1", "a(?=b)", "a{2000}"}) {
    const auto regex = Regex::compile(pattern);
    ASSERT_FALSE(regex) << pattern;
    EXPECT_EQ(regex.error().fault, Fault::user);
    EXPECT_THAT(regex.error().message,
                HasSubstr(fmt::format("invalid regular expression '{}': ", pattern)));
  }
}

TEST(Regex, MatchesMegabyteLine) {
  const std::string line(1'000'000, 'x');
  EXPECT_TRUE(Regex::compile("(x|y)*")->matches(line));
  EXPECT_FALSE(Regex::compile("(.*/)?([^/]+)y$")->matchesAnywhere(line));
}

TEST(Regex, MatchesNestedRepetitionsInLinearTime) {
  const std::string line(100'000, 'a');
  EXPECT_FALSE(Regex::compile("(((.*)*)*)*x")->matches(line));
  EXPECT_FALSE(Regex::compile("(a+)+$x")->matchesAnywhere(line));
}

TEST(Regex, CompilesThousandsOfAlternatives) {
  std::string pattern;
  for (int i = 0; i < 5000; ++i) {
    pattern += fmt::format("{}^main\\$async_dispatch_{}_matmul_128x128x128_f32$",
                           pattern.empty() ? "" : "|", i);
  }
  const auto regex = Regex::compile(pattern);
  ASSERT_TRUE(regex) << regex.error().message.substr(pattern.size());
  EXPECT_TRUE(regex->matchesAnywhere("main$async_dispatch_4999_matmul_128x128x128_f32"));
  EXPECT_FALSE(regex->matchesAnywhere("main$async_dispatch_5000_matmul_128x128x128_f32"));
}

}  // namespace
}  // namespace hone
