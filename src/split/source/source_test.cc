#include "split/source/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::split {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> tokenTexts(std::string_view text) {
  std::vector<std::string> texts;
  const auto source = readSource(text, "f.cpp");
  EXPECT_TRUE(source) << source.error().message;
  for (const Token& token : source ? source->tokens : std::vector<Token>()) {
    texts.emplace_back(token.text);
  }
  return texts;
}

std::string tokenError(std::string_view text) {
  const auto source = readSource(text, "f.cpp");
  return source ? "" : source.error().message;
}

TEST(SourceTokens, ReadsDirectiveAsOneToken) {
  EXPECT_THAT(tokenTexts("#define A {\\\n  ( // more\nb # c\r\n  # include <x>\r\n"),
              ElementsAre("#define A {  (", "b", "#", "c", "# include <x>"));
}

TEST(SourceTokens, IgnoresDisabledLines) {
  EXPECT_THAT(tokenTexts("a\n#if 0  // old\nb\n#if X\nc\n#else\n#endif\n}\n#endif  // 0\nd"),
              ElementsAre("a", "d"));
  EXPECT_THAT(tokenTexts("#if 0\nb\n#else\nc\n#endif"),
              ElementsAre("#if 0", "b", "#else", "c", "#endif"));
}

TEST(SourceTokens, MatchesBrackets) {
  const Source source = readSource("{(a)[b]}", "f").value();
  EXPECT_EQ(source.partners[0], 7U);
  EXPECT_EQ(source.partners[7], 0U);
  EXPECT_EQ(source.partners[1], 3U);
  EXPECT_EQ(source.partners[2], 2U);
}

TEST(SourceTokens, ErrorsNameLine) {
  EXPECT_EQ(tokenError("a\n/* b"), "f.cpp:2: unterminated comment");
  EXPECT_EQ(tokenError("a\n\n\"b\n\""), "f.cpp:3: unterminated literal");
  EXPECT_EQ(tokenError("'a"), "f.cpp:1: unterminated literal");
  EXPECT_EQ(tokenError("\"a\\"), "f.cpp:1: unterminated literal");
  EXPECT_THAT(tokenError("R\"x(a)\""), HasSubstr("f.cpp:1: unterminated raw literal"));
  EXPECT_EQ(tokenError("a\n)"), "f.cpp:2: unmatched ')'");
  EXPECT_EQ(tokenError("{\n(\n}"), "f.cpp:3: '}' does not match the '(' of line 2");
  EXPECT_EQ(tokenError("\n{"), "f.cpp:2: unmatched '{'");
}

TEST(ReadProduct, RejectsProductsThatOverflowInCpp) {
  const auto parseValue = [](std::string_view text) {
    const Source source = readSource(text, "f").value();
    std::size_t at = 0;
    return readProduct(source.tokens, at);
  };
  EXPECT_EQ(parseValue("2048 * 4096;"), 2048 * 4096);
  EXPECT_EQ(parseValue("5000000000"), 5'000'000'000);
  EXPECT_EQ(parseValue("5000000000 * 2"), 10'000'000'000);
  EXPECT_EQ(parseValue("100000 * 100000"), std::nullopt);  // overflows an int
  EXPECT_EQ(parseValue("99999999999999999999"), std::nullopt);
  EXPECT_EQ(parseValue("017"), std::nullopt);
  EXPECT_EQ(parseValue("1e7"), std::nullopt);
  EXPECT_EQ(parseValue("5L"), std::nullopt);
  EXPECT_EQ(parseValue("5 * x"), std::nullopt);
}

}  // namespace
}  // namespace hone::split
