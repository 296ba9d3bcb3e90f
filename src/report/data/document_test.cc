#include "report/data/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone::report {
namespace {

using nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Document, RoundsNumbers) {
  Document document;
  document.add(
      Plot{.series = {{.name = "s", .x = {1, 2.0 / 3, 1e7, 1e300}, .y = {kNan, 5, -0.5, 0}}}});
  const json series = document.json()["parts"][0]["series"][0];
  EXPECT_EQ(series["x"].dump(), "[1,0.666667,10000000,1e+300]");
  EXPECT_EQ(series["y"].dump(), "[null,5,-0.5,0]");
  EXPECT_FALSE(series.contains("low"));
  EXPECT_FALSE(series.contains("labels"));
}

TEST(Document, EncodesRepeatedTextsAsDictionary) {
  DataTable table;
  table.columns = {{.name = "again", .texts = {"a", "b", "a", "a"}},
                   {.name = "once", .texts = {"a", "b", "c", "d"}}};
  Document document;
  document.add(table);
  const json part = document.json()["parts"][0];
  EXPECT_EQ(part["columns"][0]["texts"], json({{"texts", {"a", "b"}}, {"at", {0, 1, 0, 0}}}));
  EXPECT_EQ(part["columns"][1]["texts"], json({"a", "b", "c", "d"}));
  EXPECT_EQ(part["rows"], 4);
}

TEST(Document, KeepsMessageOfEmptyTable) {
  DataTable table;
  table.empty = "No failures.";
  table.columns = {{.name = "why"}};
  Document document;
  document.add(table);
  EXPECT_EQ(document.json()["parts"][0]["rows"], 0);
  EXPECT_EQ(document.json()["parts"][0]["empty"], "No failures.");
}

TEST(Document, WritesInfiniteRegionSidesAsNull) {
  Document document;
  document.add(Plot{.regions = {{-kInfinity, 4, 2, kInfinity, "8"}}});
  const json region = document.json()["parts"][0]["regions"][0];
  EXPECT_EQ(
      region,
      json({{"left", nullptr}, {"right", 4}, {"bottom", 2}, {"top", nullptr}, {"label", "8"}}));
}

TEST(Document, KeepsOrderOfPartsAndTabs) {
  Parts inside;
  inside.add(TextBlock{.title = "code", .text = "x", .form = TextBlock::Form::code});
  Document document;
  document.title = "t";
  document.answer = {"It is faster.", {"by 2x"}, Answer::Tone::good};
  document.facts = {{"machine", "m"}};
  document.heading("first");
  document.add(Tabs{"tabs", {{"one", inside}}});
  document.add(
      Bars{.title = "bars", .names = {"a"}, .groups = {{.values = {1}, .role = Role::winner}}});
  const json all = document.json();
  EXPECT_EQ(all["answer"],
            json({{"headline", "It is faster."}, {"lines", {"by 2x"}}, {"tone", "good"}}));
  EXPECT_EQ(all["facts"], json::array({{"machine", "m"}}));
  ASSERT_EQ(all["parts"].size(), 3U);
  EXPECT_EQ(all["parts"][0]["type"], "heading");
  EXPECT_EQ(all["parts"][1]["tabs"][0]["parts"][0]["form"], "code");
  EXPECT_EQ(all["parts"][2]["groups"][0]["role"], "winner");
}

}  // namespace
}  // namespace hone::report
