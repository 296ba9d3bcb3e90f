#include "model/result/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "model/result/outcome.h"
#include "model/result/sample.h"

namespace hone::model {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Generates texts of few characters, so that equal ones occur; JSON allows Unicode only.
rc::Gen<std::string> text() {
  return rc::gen::container<std::string>(rc::gen::element('a', 'b', '"', '\\', ' ', '<', '\n'));
}

rc::Gen<OpAttribute> attributes() {
  return rc::gen::build<OpAttribute>(
      rc::gen::set(&OpAttribute::dispatch, text()), rc::gen::set(&OpAttribute::op, text()),
      rc::gen::set(&OpAttribute::name, text()), rc::gen::set(&OpAttribute::value, text()));
}

rc::Gen<Config> configs() {
  return rc::gen::build<Config>(
      rc::gen::set(&Config::name, text()),
      rc::gen::set(&Config::flags, rc::gen::container<std::vector<std::string>>(text())),
      rc::gen::set(&Config::attributes,
                   rc::gen::container<std::vector<OpAttribute>>(attributes())));
}

std::string configFault(const json& source) {
  const auto result = configFrom(source);
  return result ? "" : result.error().message;
}

RC_GTEST_PROP(ConfigProperty, JsonRoundTrips, ()) {
  const Config config = *configs();
  const auto again = configFrom(json::parse(toJson(config).dump()));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == config);
  RC_ASSERT(again->key() == config.key());
}

RC_GTEST_PROP(ConfigProperty, KeysAreEqualIfAndOnlyIfConfigsCompileAlike, ()) {
  const Config a = *configs();
  Config b = *configs();
  RC_ASSERT((a.key() == b.key()) == (a.flags == b.flags && a.attributes == b.attributes));
  b = a;
  b.name += "another";
  RC_ASSERT(a.key() == b.key());
}

TEST(Config, KeySeparatesFlagsFromAttributes) {
  const Config flags{.name = "", .flags = {"attribute", "a"}, .attributes = {}};
  const Config more{.name = "", .flags = {"attribute"}, .attributes = {{"a", "", "", ""}}};
  EXPECT_NE(flags.key(), more.key());
}

TEST(Config, IsBaselineIfEmpty) {
  Config config{.name = "baseline", .flags = {}, .attributes = {}};
  EXPECT_TRUE(config.isBaseline());
  EXPECT_EQ(toJson(config), json({{"name", "baseline"}}));
  EXPECT_TRUE(configFrom(json::object()).value().isBaseline());
  config.flags = {"--iree-opt-data-tiling"};
  EXPECT_FALSE(config.isBaseline());
}

TEST(ConfigFrom, NamesInvalidMember) {
  EXPECT_THAT(configFault({{"flag", "x"}}), HasSubstr("unknown member 'flag'"));
  EXPECT_THAT(configFault({{"flags", "x"}}), HasSubstr("'flags' has the wrong type"));
  EXPECT_THAT(configFault({{"flags", {1}}}), HasSubstr("'flags' has the wrong type"));
  EXPECT_THAT(configFault({{"name", 3}}), HasSubstr("'name' has the wrong type"));
  EXPECT_THAT(configFault({{"attributes", "x"}}), HasSubstr("'attributes' must be a list"));
  EXPECT_THAT(configFault({{"attributes", {1}}}), HasSubstr("attribute: must be an object"));
  EXPECT_THAT(configFault({{"attributes", json::array({{{"name", "x"}}})}}),
              HasSubstr("'value' is missing"));
  EXPECT_THAT(configFault(json::array()), HasSubstr("config: must be an object"));
}

TEST(Outcome, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(Outcome::tooSlow); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(outcomeFrom(nameOf(outcome)), outcome);
  }
  EXPECT_EQ(nameOf(Outcome::compileTimeout), "compile_timeout");
  EXPECT_EQ(nameOf(Outcome::tooSlow), "too_slow");
  EXPECT_EQ(outcomeFrom("fine"), std::nullopt);
}

TEST(Stage, NamesRoundTrip) {
  for (const Stage stage : {Stage::screen, Stage::race, Stage::final}) {
    EXPECT_EQ(stageFrom(nameOf(stage)), stage);
  }
  EXPECT_EQ(stageFrom(""), std::nullopt);
}

}  // namespace
}  // namespace hone::model
