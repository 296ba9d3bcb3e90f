#include "cluster/settings/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace hone::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string tomlError(std::string_view text) {
  const auto read = tomlFrom(text, "hone.toml");
  return read ? "" : read.error().message;
}

TEST(TomlTest, ParsesSectionsValuesAndComments) {
  const auto read = tomlFrom(
      "# ours\n[cluster]  # this one\nname = \"a \\\"b\\\" # c\"\ncount = 12 # twelve\n"
      "on = true\nargs = [\"--x\", \"--y=1,2\",]\nnone = []\n",
      "hone.toml");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 5u);
  EXPECT_EQ(read->at(0).section, "cluster");
  EXPECT_EQ(std::get<std::string>(read->at(0).value), "a \"b\" # c");
  EXPECT_EQ(std::get<double>(read->at(1).value), 12);
  EXPECT_EQ(std::get<bool>(read->at(2).value), true);
  EXPECT_EQ(std::get<std::vector<std::string>>(read->at(3).value),
            (std::vector<std::string>{"--x", "--y=1,2"}));
  EXPECT_TRUE(std::get<std::vector<std::string>>(read->at(4).value).empty());
  EXPECT_EQ(read->at(3).line, 6);
}

TEST(TomlTest, RejectsInvalidSyntaxWithLine) {
  EXPECT_THAT(tomlError("[cluster]\nname = a\n"), HasSubstr("hone.toml:2: 'name = a'"));
  EXPECT_THAT(tomlError("[cluster\n"), HasSubstr("hone.toml:1"));
  EXPECT_THAT(tomlError("\n\nname\n"), HasSubstr("hone.toml:3"));
  EXPECT_THAT(tomlError("a = \"x\n"), HasSubstr("hone.toml:1"));
  EXPECT_THAT(tomlError("a = [\"x\" \"y\"]\n"), HasSubstr("hone.toml:1"));
  EXPECT_THAT(tomlError("a = \"x\" y\n"), HasSubstr("hone.toml:1"));
  EXPECT_THAT(tomlError("a = 1\na = 2\n"),
              AllOf(HasSubstr("hone.toml:2: 'a = 2'"), HasSubstr("existing integer 'a'")));
  EXPECT_EQ(tomlError("a = 1\n[b]\na = 2\n"), "");
}

TEST(TomlTest, RejectsUnsupportedTypesWithLine) {
  for (const char* value :
       {"1979-05-27", "inf", "nan", "[1, 2]", "[[\"x\"]]", "{ y = { z = 1 } }"}) {
    EXPECT_THAT(tomlError(fmt::format("[a]\nx = {}\n", value)),
                HasSubstr("hone.toml:2: invalid value of 'x'"))
        << value;
  }
  EXPECT_THAT(tomlError("\n[a.b]\nx = 1\n"), HasSubstr("hone.toml:2: invalid value of 'b'"));
}

TEST(TomlTest, KeepsEntryOrder) {
  const auto read = tomlFrom("z = 1\n[b]\ny = 1\nx = [\n  \"1\",\n]\n[a]\nw = 1\n", "hone.toml");
  ASSERT_TRUE(read) << read.error().message;
  std::string keys;
  for (const TomlEntry& entry : *read) {
    keys += entry.key;
  }
  EXPECT_EQ(keys, "zyxw");
  EXPECT_EQ(read->back().line, 8);
}

RC_GTEST_PROP(TomlTest, ParsesOrRejectsAnyBytes, (const std::string& text)) {
  const auto read = tomlFrom(text, "hone.toml");
  if (!read) {
    RC_ASSERT(read.error().message.starts_with("hone.toml:"));
  }
}

RC_GTEST_PROP(TomlTest, QuotedStringsRoundTrip, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(32, 127));
  std::string quoted;
  for (const char c : text) {
    quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  const auto read = tomlFrom(fmt::format("key = \"{}\"", quoted), "hone.toml");
  RC_ASSERT(read.has_value());
  RC_ASSERT(std::get<std::string>(read->front().value) == text);
}

}  // namespace
}  // namespace hone::cluster
