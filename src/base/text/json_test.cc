#include "base/text/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace hone {
namespace {

std::string errorFor(std::string_view text) {
  const auto json = jsonFrom(text, "a.json");
  return json ? "none" : json.error().message;
}

TEST(JsonText, ParsesJson) {
  EXPECT_EQ(jsonFrom(R"({"a": [1, "]}\"[["]})", "a.json").value(),
            nlohmann::json({{"a", {1, "]}\"[["}}}));
}

TEST(JsonText, NamesPlaceOfErrors) {
  EXPECT_EQ(errorFor(""), "a.json, line 1: invalid JSON");
  EXPECT_EQ(errorFor("[1,\n2,\n"), "a.json, line 3: invalid JSON");
  EXPECT_EQ(errorFor("\"a\x01\""), "a.json, line 1: invalid JSON") << "control character";
  EXPECT_EQ(errorFor("\"\xff\""), "a.json, line 1: invalid JSON") << "not UTF-8";
  EXPECT_EQ(errorFor("[1e999]"), "a.json: invalid JSON: a number is too large");
}

TEST(JsonText, RefusesDeepNesting) {
  const std::string fine = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_EQ(errorFor(fine), "none");
  EXPECT_EQ(errorFor("[" + fine + "]"), "a.json, line 1: JSON is nested deeper than 100 levels");
  EXPECT_EQ(errorFor(std::string(10'000'000, '[')),
            "a.json, line 1: JSON is nested deeper than 100 levels");
}

}  // namespace
}  // namespace hone
