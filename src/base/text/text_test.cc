#include "base/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace hone {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(splitAt("a,b,,c", ','), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(splitAt("", ','), ElementsAre(""));
  EXPECT_THAT(splitAt(",", ','), ElementsAre("", ""));
}

RC_GTEST_PROP(SplitProperty, JoinInvertsSplit, (const std::string& text)) {
  RC_ASSERT(join(splitAt(text, 'a'), "a") == text);
}

TEST(Trim, RemovesSurroundingBlanks) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(ParseInt, AcceptsOnlyIntegers) {
  EXPECT_EQ(parseInt("-12"), -12);
  EXPECT_EQ(parseInt("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "12x", " 12", "1.5", "0x10", "9223372036854775808", "+1", "-"}) {
    EXPECT_EQ(parseInt(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(ParseIntProperty, RoundTrips, (std::int64_t value)) {
  RC_ASSERT(parseInt(std::to_string(value)) == value);
}

TEST(ParseDouble, AcceptsOnlyFiniteNumbers) {
  EXPECT_EQ(parseDouble("1.5e3"), 1500);
  EXPECT_EQ(parseDouble("-2"), -2);
  for (const char* text : {"", "1.5x", "1e999", "nan", "inf", "-infinity", "."}) {
    EXPECT_EQ(parseDouble(text), std::nullopt) << text;
  }
}

TEST(ShellWords, SplitsLikeShell) {
  EXPECT_EQ(shellWords("  a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(shellWords(""), Words{});
  EXPECT_EQ(shellWords("'a b' \"c d\""), (Words{"a b", "c d"}));
  EXPECT_EQ(shellWords("--x='a b'c"), (Words{"--x=a bc"}));
  EXPECT_EQ(shellWords("'' \"\""), (Words{"", ""}));
  EXPECT_EQ(shellWords("a\\ b \\'"), (Words{"a b", "'"}));
  EXPECT_EQ(shellWords("'a\\b'"), (Words{"a\\b"}));
  EXPECT_EQ(shellWords("\"a\\\"b\""), (Words{"a\"b"}));
  EXPECT_EQ(shellWords("'a"), std::nullopt);
  EXPECT_EQ(shellWords("a \"b"), std::nullopt);
}

RC_GTEST_PROP(ShellWordsProperty, RoundTripsQuotedWords, (const Words& words)) {
  std::string line;
  for (const std::string& word : words) {
    line += " '";
    for (const char c : word) {
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    line += "'";
  }
  RC_ASSERT(shellWords(line) == words);
}

RC_GTEST_PROP(ShellWordsProperty, AcceptsAnyText, (const std::string& text)) {
  if (const auto words = shellWords(text)) {
    std::size_t characters = 0;
    for (const std::string& word : *words) {
      characters += word.size();
    }
    RC_ASSERT(characters <= text.size());
  }
}

TEST(Shortened, EndsInEllipsis) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(shortened("abcdef", 2), "..");
  EXPECT_EQ(shortened("abcdef", 0), "");
}

TEST(ShortenedInside, KeepsBothEnds) {
  EXPECT_EQ(shortenedInside("matmul_64x64", 12), "matmul_64x64");
  EXPECT_EQ(shortenedInside("matmul_64x64", 11), "matm...4x64");
  EXPECT_EQ(shortenedInside("abcdefgh", 5), "a...h");
  EXPECT_EQ(shortenedInside("abcdefgh", 4), "a...") << "too short for two ends";
  EXPECT_EQ(shortenedInside("äöüßäöüß", 7), "äö...üß");
  EXPECT_EQ(shortenedInside("", 0), "");
}

TEST(Shortened, CountsCharactersNotBytes) {
  EXPECT_EQ(shortened("größer", 6), "größer");
  EXPECT_EQ(shortened("größere", 6), "grö...");
  EXPECT_EQ(shortened("····", 4), "····");
}

RC_GTEST_PROP(ShortenedProperty, NeverExceedsWidth, (const std::string& text)) {
  const auto width = *rc::gen::inRange<std::size_t>(0, 20);
  const std::string cut = shortened(text, width);
  RC_ASSERT(cut.size() <= std::max(width, text.size()));
  RC_ASSERT(text.size() > width || cut == text);
}

TEST(Nearest, CorrectsTypos) {
  const Words names = {"matmul", "conv", "attention"};
  EXPECT_EQ(nearest("matmull", names), "matmul");
  EXPECT_EQ(nearest("con", names), "conv");
  EXPECT_EQ(nearest("atention", names), "attention");
  EXPECT_EQ(nearest("conv", names), "conv");
  EXPECT_EQ(nearest("zzzzzz", names), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Printable, ReplacesControlCharactersAndShortensLines) {
  EXPECT_EQ(printable("a\x1b[31mb\r\x7f\tc\nd"), "a?[31mb??\tc\nd");
  EXPECT_EQ(printable(std::string(1000, 'x')).size(), 400u);
  EXPECT_EQ(printable("µs"), "µs");
  EXPECT_EQ(printable(""), "");
}

TEST(HumanTime, HasThreeDigitsAndUnit) {
  EXPECT_EQ(humanTime(0), "0.00 ns");
  EXPECT_EQ(humanTime(1), "1.00 ns");
  EXPECT_EQ(humanTime(12'345), "12.3 us");
  EXPECT_EQ(humanTime(123'456'789), "123 ms");
  EXPECT_EQ(humanTime(30e9), "30.0 s");
  EXPECT_EQ(humanTime(-1500), "-1.50 us");
  EXPECT_EQ(humanTime(4000e9), "4000 s");
}

TEST(HumanTime, KeepsThreeDigitsAfterRounding) {
  EXPECT_EQ(humanTime(9.996), "10.0 ns");
  EXPECT_EQ(humanTime(99.97), "100 ns");
  EXPECT_EQ(humanTime(999.7), "1.00 us");
  EXPECT_EQ(humanTime(9.994), "9.99 ns");
}

RC_GTEST_PROP(HumanTimeProperty, HasThreeDigitsBelow1000Seconds, ()) {
  const double value = std::pow(10.0, *rc::gen::inRange(0, 11990) / 1000.0);
  const std::string text = humanTime(value);
  const auto digits = std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; });
  RC_ASSERT(digits == 3);
}

}  // namespace
}  // namespace hone
