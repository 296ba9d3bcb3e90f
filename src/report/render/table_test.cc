#include "report/render/table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/text/text.h"

namespace hone::report {
namespace {

TEST(Table, AlignsColumns) {
  Table table({{"id", Align::right}, {"name"}, {"time", Align::right}});
  table.add({"1", "a", "1.5 ms"});
  table.add({"100", "longer"});
  EXPECT_EQ(table.text(),
            " id  name      time\n"
            "  1  a       1.5 ms\n"
            "100  longer\n");
}

TEST(Table, ShrinksWidestColumnFirst) {
  Table table({{"id"}, {"short", Align::left, 4}, {"long", Align::left, 4}});
  table.add({"1", "abcdefgh", "abcdefghijklmnopqrstuvwxyz"});
  EXPECT_EQ(table.text(24),
            "id  short     long\n"
            "1   abcdefgh  abcdefg...\n");
  EXPECT_EQ(table.text(1),
            "id  s...  long\n"
            "1   a...  a...\n");
}

TEST(Table, NeverSplitsCharacters) {
  Table table({{"a", Align::left, 4}, {"b"}});
  table.add({"日本語日本語日本語", "x"});
  table.add({"two\nlines", "y"});
  EXPECT_EQ(table.text(9),
            "a       b\n"
            "日本語...  x\n"
            "two...  y\n");
}

TEST(Table, HandlesMissingRowsAndColumns) {
  EXPECT_EQ(Table({{"a"}, {"b"}}).text(80), "a  b\n");
  EXPECT_EQ(Table({}).text(80), "");
}

RC_GTEST_PROP(Table, FitsIfColumnsMayShrink, (const std::vector<std::vector<std::string>>& rows)) {
  Table table({{"a", Align::left, 3}, {"b", Align::right, 3}, {"c", Align::left, 3}});
  for (const auto& row : rows) {
    table.add(row);
  }
  const auto lines = splitAt(table.text(20), '\n');
  RC_ASSERT(lines.size() == rows.size() + 2);
  for (const std::string& line : lines) {
    const auto characters = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    RC_ASSERT(characters <= 20);
    RC_ASSERT(!line.ends_with(' '));
  }
}

}  // namespace
}  // namespace hone::report
