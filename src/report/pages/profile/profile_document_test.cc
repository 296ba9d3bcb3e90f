#include "report/pages/test_run_document.h"

namespace hone::report {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

using ProfileDocument = RunDocumentTest;

TEST_F(ProfileDocument, DrawsRoofline) {
  begin("profile");
  json summary = {{"rooflines", {{{"type", "f32"}, {"gflops", 20}, {"gbps", 4}}}}};
  for (const auto& one :
       {makeRow("IREE Codegen", "tile_config_default", 200),
        makeRow("IREE Codegen", "tile_config_big", 100), makeRow("oneDNN", "library", 80)}) {
    summary["rows"].push_back(toJson(one));
  }
  const json shown = finish(summary);
  EXPECT_EQ(headline(shown), "3 dispatches of 1 operation measured; 3 verified, none wrong.");
  EXPECT_THAT(lines(shown), AllOf(HasSubstr("reaches 50 % of the roofline"),
                                  HasSubstr("IREE is 1.25x as slow as oneDNN over 1 operation."),
                                  HasSubstr("matmul_8x8x8 is 2.00x as fast with 8x8")));
  const json roof = part(shown, "Roofline")["series"].back();
  EXPECT_EQ(roof["x"], json({2.5, 5, 20})) << "from half the ridge to twice the dispatch";
  EXPECT_EQ(roof["y"], json({10, 20, 20}));
  EXPECT_EQ(part(shown, "Failures")["rows"], 0);
}

TEST_F(ProfileDocument, FormatsRangeInOneDirection) {
  begin("profile");
  const auto describeLine = [&](double first, double second) {
    json summary;
    for (const auto& [operation, libraryNs] : {std::pair("a", first), {"b", second}}) {
      for (model::ProfileRow one : {makeRow("IREE Codegen", "tile_config_default", 100),
                                    makeRow("oneDNN", "library", libraryNs)}) {
        one.operation = operation;
        summary["rows"].push_back(toJson(one));
      }
    }
    return lines(finish(summary));
  };
  EXPECT_THAT(describeLine(80, 50),
              HasSubstr("1.58x as slow as oneDNN over 2 operations (geometric "
                        "mean; 1.25x to 2.00x)."));
  EXPECT_THAT(describeLine(200, 300), HasSubstr("(geometric mean; 2.00x to 3.00x)."));
  EXPECT_THAT(describeLine(50, 300), HasSubstr("mean; from 2.00x as slow to 3.00x as fast)."));
}

TEST_F(ProfileDocument, OlderProfileDrawsRooflineFromDispatches) {
  begin("profile");
  const json shown = finish(
      {{"rows", json::array({toJson(makeRow("IREE Codegen", "tile_config_default", 200))})}});
  const json roof = part(shown, "Roofline")["series"].back();
  EXPECT_EQ(roof["x"], json({10}));
  EXPECT_EQ(roof["y"], json({20}));
}

TEST_F(ProfileDocument, ListsFailures) {
  begin("profile");
  model::ProfileRow wrong = makeRow("IREE Codegen", "tile_config_default", 0);
  wrong.verification = "FAILED";
  wrong.message = "element 3 is 7, not 8";
  const json shown = finish({{"rows", json::array({toJson(wrong)})}});
  EXPECT_EQ(headline(shown), "1 of 1 dispatch failed.");
  EXPECT_EQ(shown["answer"]["tone"], "bad");
  EXPECT_EQ(part(shown, "Failures")["columns"][2]["texts"], json({"element 3 is 7, not 8"}));
}

}  // namespace
}  // namespace hone::report
