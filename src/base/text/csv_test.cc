#include "base/text/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace hone {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows read(const std::string& text) {
  Rows rows;
  const auto parsed = parseCsv(text);
  EXPECT_TRUE(parsed) << text;
  for (const CsvRow& row : parsed.value_or(std::vector<CsvRow>())) {
    rows.push_back(row.cells);
  }
  return rows;
}

TEST(Csv, QuotesOnlyWhenNeeded) {
  CsvWriter csv;
  csv.row({"a", "b c", ""});
  csv.row({"1,5", "say \"no\"", "two\nlines"});
  EXPECT_EQ(csv.text(), "a,b c,\n\"1,5\",\"say \"\"no\"\"\",\"two\nlines\"\n");
}

RC_GTEST_PROP(Csv, RoundTripsAnyCells, ()) {
  const auto rows = *rc::gen::nonEmpty<Rows>();
  CsvWriter csv;
  Rows expected;
  for (const auto& row : rows) {
    csv.row(row);
    expected.push_back(row.empty() ? std::vector<std::string>{""} : row);
  }
  RC_ASSERT(read(csv.text()) == expected);
}

RC_GTEST_PROP(Csv, ParsesAnyTextOrFails, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('"', ',', '\r', '\n', 'a'));
  const auto rows = parseCsv(text);
  if (rows) {
    RC_ASSERT(rows->empty() == text.empty());
  } else {
    RC_ASSERT(rows.error().message.contains("unclosed quote"));
  }
}

TEST(Csv, ParsesBothLineEndsAndRaggedRows) {
  EXPECT_EQ(read("a,b\r\n1\r\n\n,2,"), (Rows{{"a", "b"}, {"1"}, {""}, {"", "2", ""}}));
  EXPECT_EQ(read(""), Rows{});
  EXPECT_EQ(read("a\rb,\"x\r\ny\"\r\n"), (Rows{{"a\rb", "x\r\ny"}}));
}

TEST(Csv, ReportsFirstLineOfRow) {
  const auto rows = parseCsv("a\n\"1\n2\",3\nb\n");
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, (std::vector<CsvRow>{{1, {"a"}}, {2, {"1\n2", "3"}}, {4, {"b"}}}));
}

TEST(Csv, RejectsUnclosedQuoteWithLine) {
  EXPECT_EQ(parseCsv("a\nb,\"c\nd\n").error().message, "line 2: unclosed quote");
}

}  // namespace
}  // namespace hone
