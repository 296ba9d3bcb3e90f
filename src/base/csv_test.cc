#include "base/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace hone {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// A reader of RFC 4180, for the round trip alone.
Rows read(const std::string& text) {
  Rows rows;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      row.push_back(std::exchange(cell, {}));
      if (c == '\n') {
        rows.push_back(std::exchange(row, {}));
      }
    } else {
      cell += c;
    }
  }
  return rows;
}

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  CsvWriter csv;
  csv.row({"a", "b c", ""});
  csv.row({"1,5", "say \"no\"", "two\nlines"});
  EXPECT_EQ(csv.text(), "a,b c,\n\"1,5\",\"say \"\"no\"\"\",\"two\nlines\"\n");
}

RC_GTEST_PROP(Csv, AnyCellsReadBack, ()) {
  const auto rows = *rc::gen::nonEmpty<Rows>();
  CsvWriter csv;
  Rows expected;
  for (const auto& row : rows) {
    csv.row(row);
    expected.push_back(row.empty() ? std::vector<std::string>{""} : row);
  }
  RC_ASSERT(read(csv.text()) == expected);
}

}  // namespace
}  // namespace hone
