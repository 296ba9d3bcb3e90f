#include "cluster/spool/checked_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace hone::cluster {
namespace {

class CheckedFileTest : public testing::Test {
 protected:
  ScratchFolder folder_ = ScratchFolder::create("hone-checked-test").value();
  std::filesystem::path file_ = folder_.path() / "file";
};

TEST_F(CheckedFileTest, RoundTrips) {
  const nlohmann::json json = {{"a", 1}, {"b", "ü"}, {"c", {1.5, nullptr}}};
  ASSERT_TRUE(writeChecked(file_, json));
  EXPECT_EQ(readChecked(file_), json);
}

TEST_F(CheckedFileTest, WritesInvalidUtf8) {
  ASSERT_TRUE(writeChecked(file_, {{"said", "\xff"}}));
  EXPECT_EQ(readChecked(file_)->at("said"), "\xEF\xBF\xBD");
}

TEST_F(CheckedFileTest, RejectsDamagedFile) {
  ASSERT_TRUE(writeChecked(file_, {{"numbers", {1, 2, 3}}}));
  const std::string whole = readFile(file_).value();
  EXPECT_FALSE(readChecked(folder_.path() / "none"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(writeFile(file_, whole.substr(0, length)));
    EXPECT_FALSE(readChecked(file_)) << length;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    ASSERT_TRUE(writeFile(file_, bad));
    EXPECT_FALSE(readChecked(file_)) << at;
  }
}

TEST_F(CheckedFileTest, MovesFileOnce) {
  ASSERT_TRUE(writeFile(file_, "x"));
  EXPECT_TRUE(moveFile(file_, folder_.path() / "a"));
  EXPECT_FALSE(moveFile(file_, folder_.path() / "b"));
}

TEST_F(CheckedFileTest, DoesNotListTemporaryFiles) {
  ASSERT_TRUE(writeFile(folder_.path() / "b", ""));
  ASSERT_TRUE(writeFile(folder_.path() / "a", ""));
  ASSERT_TRUE(writeFile(folder_.path() / "c.12-3.part", ""));
  EXPECT_EQ(namesIn(folder_.path()), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(namesIn(folder_.path() / "none").empty());
}

}  // namespace
}  // namespace hone::cluster
