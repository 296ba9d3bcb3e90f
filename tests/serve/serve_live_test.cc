// Streams a real run to a client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/text/text.h"
#include "store/progress_file.h"
#include "tests/serve/served.h"

namespace hone::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Returns the progress events in order.
std::vector<nlohmann::json> progressIn(const std::string& heard) {
  std::vector<nlohmann::json> all;
  for (const std::string& line : splitAt(heard, '\n')) {
    const auto json = line.starts_with("data: ")
                          ? nlohmann::json::parse(line.substr(6), nullptr, false)
                          : nlohmann::json();
    if (json.is_object()) {
      all.push_back(json);
    }
  }
  return all;
}

TEST(ServeLive, StreamsBenchFromFirstTrialToEnd) {
  Sandbox box;
  nlohmann::json configs;
  for (int i = 1; i <= 10; ++i) {
    configs.push_back(tiles(fmt::format("t{}", i), i, 16, 1));
  }
  box.write("m.mlir", matmulText(64, 64, 64));
  box.write("c.json", configs.dump());
  Served served(box);
  auto looking = std::async(std::launch::async, [&] {
    return served.listenFor("/events?have=0", "data: null");  // no run is active
  });
  const CommandResult ran =
      box.hone({"bench", "m.mlir", "--configs", "c.json", "--rounds", "5", "--quiet"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string heard = looking.get();
  const auto progress = progressIn(heard);
  ASSERT_FALSE(progress.empty()) << heard;
  for (const nlohmann::json& one : progress) {
    EXPECT_EQ(one.at("run"), 1);
    EXPECT_FALSE(one.at("stage").get<std::string>().empty());
    EXPECT_LE(one.at("done"), one.at("total"));
  }
  EXPECT_THAT(heard, HasSubstr("\"best\":\"")) << "the best so far";
  EXPECT_FALSE(std::filesystem::exists(store::progressFilePath(box.store(), 1)));
  EXPECT_THAT(served.get("/runs/1"), HasSubstr("t10"));
  EXPECT_THAT(box.leftoverFiles(), IsEmpty());
}

}  // namespace
}  // namespace hone::test
